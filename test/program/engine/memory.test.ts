/** Which memory there is in a folder, which is meant, and what of it may be looked at (ME-2, ME-3, ME-5, ME-6, ME-7, ME-9). */

import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectKey } from '../../../src/config/paths.js';
import { prepareUpdate } from '../../../src/context/memory/snapshots/update-folder.js';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { agentFile, setMemoryStage } from '../../unit/features/memory/memory-stage.js';

const LOCAL = '.claude/agent-memory-local';

describe('the list', () => {
  it('ME-5: every agent with memory, with scope, folder, files, bytes and lines; then folders that no agent here has', async () => {
    const stage = await setMemoryStage();
    await stage.write(`${LOCAL}/reviewer/MEMORY.md`, 'one\ntwo\n');
    await stage.write(`${LOCAL}/reviewer/parser.md`, 'ä\n');
    await stage.write(`${LOCAL}/reviewer/not-notes.txt`, 'x');
    await stage.write('~/.claude/agent-memory/gone/MEMORY.md', 'x');
    await stage.write('.claude/agent-memory/reviewer/MEMORY.md', 'from when it was "project"\n');
    await stage.write('.claude/agent-memory-snapshots/theirs/MEMORY.md', 'x\n');
    await stage.write(`${LOCAL}/.coppice/reviewer/backups/1/MEMORY.md`, 'not a memory');
    const memory = await stage.open();
    const { memories, problems, untrusted } = await memory.list();
    expect({ problems, untrusted }).toEqual({ problems: [], untrusted: undefined });
    expect(memories.map(({ name, scope, isUnclaimed, files }) => [name, scope, isUnclaimed, files])).toEqual([
      ['reviewer', 'local', false, 2],
      ['writer', 'project', false, 0],
      ['scout', 'user', false, 0],
      ['gone', 'user', true, 1],
      ['reviewer', 'project', true, 1],
      ['theirs', 'local', true, 0],
    ]);
    expect(memories[0]).toMatchObject({
      folder: join(stage.folder, LOCAL, 'reviewer'),
      definedIn: join(stage.folder, '.claude/agents/reviewer.md'),
      bytes: 11,
      lines: 2,
      snapshot: { state: 'none' },
    });
    expect(memories[3]).not.toHaveProperty('snapshot');
  });

  it('ME-2: an agent is found by any spelling of its name; a folder whose name no agent can have is reported, and not used', async () => {
    const stage = await setMemoryStage();
    await stage.write('.claude/agents/big.md', agentFile('Big_Agent', 'project'));
    await stage.write('.claude/agent-memory/big-agent/MEMORY.md', 'big\n');
    await stage.write('.claude/agent-memory/Odd Name/MEMORY.md', 'odd\n');
    const memory = await stage.open();
    for (const name of ['big-agent', 'Big_Agent', 'BIG AGENT']) {
      expect(await memory.show(name), name).toMatchObject({ ok: true, name: 'big-agent', files: [{ text: 'big\n' }] });
    }
    await stage.write('.claude/agent-memory/bigagent/MEMORY.md', 'another\n');
    expect(await memory.show('bigagent')).toMatchObject({ ok: true, name: 'bigagent', files: [{ text: 'another\n' }] });
    const odd = (await memory.list()).memories.find(({ name }) => name === 'Odd Name');
    expect(odd).toMatchObject({ isUnclaimed: true, files: 0, reason: expect.stringContaining('rename it') });
    expect(await memory.show('Odd Name')).toMatchObject({ ok: false, reason: expect.stringContaining('rename it') });
  });
});

describe('the memory that is meant', () => {
  it('ME-5: the agent’s own comes first, --scope takes another, and a folder in several places needs it', async () => {
    const stage = await setMemoryStage();
    await stage.write(`${LOCAL}/reviewer/MEMORY.md`, 'local\n');
    await stage.write('.claude/agent-memory/reviewer/MEMORY.md', 'project\n');
    await stage.write(`${LOCAL}/old/MEMORY.md`, 'old local\n');
    await stage.write('~/.claude/agent-memory/old/MEMORY.md', 'old user\n');
    const memory = await stage.open();
    const text = async (name: string, scope?: 'user' | 'project' | 'local') => {
      const shown = await memory.show(name, { scope });
      return shown.ok ? shown.files[0]?.text : [shown.name, shown.reason];
    };
    expect(await text('reviewer')).toBe('local\n');
    expect(await text('reviewer', 'project')).toBe('project\n');
    expect(await text('old', 'user')).toBe('old user\n');
    expect(await text('old')).toEqual([
      undefined,
      'there is more than one memory old: say which with --scope (user, local)',
    ]);
    expect(await text('reviewer', 'user')).toEqual([
      undefined,
      'there is no memory of scope user for reviewer; there is: local, project',
    ]);
  });

  it('SF-3: unknown names are reported with the nearest; an agent without memory with how to give it one', async () => {
    const stage = await setMemoryStage();
    const memory = await stage.open();
    const reasons: Record<string, string> = {
      reviewr: 'there is no agent "reviewr" with memory here; did you mean reviewer?',
      other: 'there is no agent "other" with memory here; there are: reviewer, writer, scout',
      '': 'there is no agent "" with memory here; there are: reviewer, writer, scout',
      '../reviewer': 'there is no agent "../reviewer" with memory here; did you mean reviewer?',
      'a\0b': 'there is no agent "a\\u0000b" with memory here; there are: reviewer, writer, scout',
      plain: `the agent plain has no memory: "memory: project" in ${stage.folder}/.claude/agents/plain.md gives it one`,
      explore: 'the agent Explore has no memory: "memory: project" in an agent file of that name gives it one',
    };
    for (const [name, reason] of Object.entries(reasons)) {
      for (const verb of ['show', 'diff', 'take', 'merge', 'publish', 'decline', 'rollBack', 'backups'] as const) {
        expect(await memory[verb](name), `${verb} ${name}`).toEqual({ ok: false, reason });
      }
    }
  });

  it('ME-4: what is for snapshots is refused for "user" and "project", with what snapshots are for', async () => {
    const stage = await setMemoryStage();
    const memory = await stage.open();
    for (const verb of ['diff', 'take', 'merge', 'publish', 'decline', 'rollBack', 'backups'] as const) {
      expect(await memory[verb]('scout'), verb).toMatchObject({
        ok: false,
        name: 'scout',
        reason: expect.stringMatching(
          /is "user".*snapshots are what a team agrees on, for agents with "memory: local"/,
        ),
      });
      expect(await memory[verb]('writer'), verb).toMatchObject({
        ok: false,
        name: 'writer',
        reason: expect.stringMatching(/is "project", shared by committing it.*memory: local.*Use git/),
      });
    }
  });
});

describe('the boundary', () => {
  it('ME-3: links, dangling and hard ones, other kinds of files and paths out of the folder are not read', async () => {
    const stage = await setMemoryStage();
    const secret = await stage.write('~/secret.md', 'secret\n');
    await stage.write(`${LOCAL}/reviewer/MEMORY.md`, 'mine\n');
    const at = (name: string) => join(stage.folder, LOCAL, 'reviewer', name);
    await symlink(secret, at('link.md'));
    await symlink('/nowhere', at('dangling.md'));
    await mkdir(at('folder.md'));
    await stage.write(`${LOCAL}/reviewer/ABC.md`, 'more\n');
    await stage.write(`${LOCAL}/reviewer/key.txt`, 'not a note\n');
    const memory = await stage.open();
    const shown = await memory.show('reviewer');
    expect(shown.ok && shown.files).toEqual([
      { name: 'MEMORY.md', text: 'mine\n' },
      { name: 'ABC.md', text: 'more\n' },
    ]);
    for (const file of [
      'link.md',
      'dangling.md',
      'folder.md',
      'key.txt',
      '../reviewer/MEMORY.md',
      secret,
      'memory.md',
      '',
      'x\0',
    ]) {
      const one = await memory.show('reviewer', { file });
      expect(one, file).toMatchObject({ ok: false, name: 'reviewer', reason: expect.not.stringContaining('secret\n') });
    }
    await link(secret, at('hard.md'));
    expect(await memory.show('reviewer')).toMatchObject({
      ok: true,
      files: [{ name: 'MEMORY.md' }, { name: 'ABC.md' }],
      notes: [1, 2, 3].map(() =>
        expect.stringMatching(/(?:link|dangling|hard)\.md was left out: it is a (?:hard )?link$/),
      ),
    });
    expect(await memory.show('reviewer', { file: 'hard.md' })).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/hard\.md.*hard link/),
    });
  });

  it('ME-3: a memory folder that is a link, or a file, is reported as such; the others are still listed', async () => {
    const stage = await setMemoryStage();
    await stage.write('~/elsewhere/MEMORY.md', 'secret\n');
    await mkdir(join(stage.folder, LOCAL), { recursive: true });
    await symlink(join(stage.home, 'elsewhere'), join(stage.folder, LOCAL, 'reviewer'));
    await stage.write('.claude/agent-memory/writer', 'a file\n');
    const memory = await stage.open();
    const { memories } = await memory.list();
    expect(memories.slice(0, 2)).toMatchObject([
      { name: 'reviewer', files: 0, reason: expect.stringContaining('is a link') },
      { name: 'writer', files: 0, reason: expect.stringContaining('is not a folder') },
    ]);
    expect(memories).toHaveLength(4);
    expect(await memory.show('reviewer')).toMatchObject({ ok: false, name: 'reviewer' });
    expect(await memory.take('reviewer')).toMatchObject({ ok: false, name: 'reviewer' });
  });
});

describe('what a crash left', () => {
  it('ME-5: an update that was certain is finished before anything is listed or shown', async () => {
    const left = async () => {
      const stage = await setMemoryStage();
      const side = { parent: join(stage.folder, LOCAL), name: 'reviewer', isPrivate: true };
      const texts = new Map([['MEMORY.md', Buffer.from('taken\n')]]);
      const folder = { texts, stamp: { file: '.snapshot-synced.json', text: undefined } };
      await prepareUpdate(nodeHost(stage.folder, stage.env), side, { folder });
      return stage.open();
    };
    expect(await (await left()).show('reviewer')).toMatchObject({ ok: true, files: [{ text: 'taken\n' }] });
    expect((await (await left()).list()).memories[0]).toMatchObject({ name: 'reviewer', files: 1 });
  });
});

describe('where it is', () => {
  it('ME-6: requested in a worktree, ours or the user’s, it is the main checkout’s; agents are those there', async () => {
    const stage = await setMemoryStage();
    await stage.write(`${LOCAL}/reviewer/MEMORY.md`, 'of main\n');
    const { path } = await stage.worktree('agent-1a2b3c4d');
    const byHand = join(stage.home, 'by-hand');
    stage.git('worktree', 'add', '-q', '-b', 'hand', byHand);
    await writeFile(join(path, '.claude/agents/new.md'), agentFile('new', 'project'));
    await mkdir(join(path, 'deep/er'), { recursive: true });
    for (const cwd of [path, byHand, join(path, 'deep/er')]) {
      const memory = await stage.open({ cwd });
      expect(memory.root, cwd).toBe(stage.folder);
      expect(await memory.show('reviewer'), cwd).toMatchObject({ ok: true, files: [{ text: 'of main\n' }] });
    }
    const inWorktree = (await (await stage.open({ cwd: path })).list()).memories;
    expect(inWorktree.find(({ name }) => name === 'new')?.folder).toBe(join(stage.folder, '.claude/agent-memory/new'));
  });

  it('ME-7: COPPICE_REMOTE_MEMORY_DIR moves "local", under the name of the main checkout; a bad one is reported', async () => {
    const stage = await setMemoryStage();
    const mount = join(stage.home, 'mount');
    const folder = join(mount, 'projects', projectKey(stage.folder), 'agent-memory-local');
    await mkdir(join(folder, 'reviewer'), { recursive: true });
    await writeFile(join(folder, 'reviewer/MEMORY.md'), 'remote\n');
    await stage.write(`${LOCAL}/reviewer/MEMORY.md`, 'not this\n');
    const { path } = await stage.worktree('agent-1a2b3c4d');
    for (const cwd of [stage.folder, path]) {
      for (const name of ['COPPICE_REMOTE_MEMORY_DIR', 'CLAUDE_CODE_REMOTE_MEMORY_DIR']) {
        const memory = await stage.open({ cwd, env: { ...stage.env, [name]: mount } });
        expect(await memory.show('reviewer'), name).toMatchObject({ ok: true, files: [{ text: 'remote\n' }] });
      }
    }
    for (const [value, reason] of [
      ['relative', /COPPICE_REMOTE_MEMORY_DIR is "relative": set it to the absolute path/],
      [join(stage.home, 'not-mounted'), /not-mounted is not a folder: mount it, or unset COPPICE_REMOTE_MEMORY_DIR/],
    ] as const) {
      const memory = await stage.open({ env: { ...stage.env, COPPICE_REMOTE_MEMORY_DIR: value } });
      expect(await memory.show('reviewer')).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
      expect((await memory.list()).memories[1]).toMatchObject({ name: 'writer', files: 0 });
    }
    // The person's own settings may say it, a project's may not.
    const settings = JSON.stringify({ env: { COPPICE_REMOTE_MEMORY_DIR: mount } });
    await stage.write('.claude/settings.json', settings);
    expect(await (await stage.open()).show('reviewer')).toMatchObject({ ok: true, files: [{ text: 'not this\n' }] });
    await stage.write('~/.claude/settings.json', settings);
    expect(await (await stage.open()).show('reviewer')).toMatchObject({ ok: true, files: [{ text: 'remote\n' }] });
  });
});

describe('trust', () => {
  it('ME-9: before trust, the project’s memory is not read, and how to trust it is explained; "user" works', async () => {
    const stage = await setMemoryStage();
    await stage.write('~/.claude/agent-memory/scout/MEMORY.md', 'mine\n');
    await stage.write(`${LOCAL}/reviewer/MEMORY.md`, 'theirs\n');
    await stage.write('.claude/agent-memory/orphan/MEMORY.md', 'theirs\n');
    await stage.write('.claude/agents/sneaky.md', agentFile('sneaky', 'user'));
    const looked: string[] = [];
    const memory = await stage.open({ trust: false, host: notingHost(nodeHost(stage.folder, stage.env), looked) });
    const { memories, untrusted } = await memory.list();
    expect(memories.map(({ name, reason }) => [name, reason === undefined])).toEqual([
      ['scout', true],
      ['reviewer', false],
      ['sneaky', true],
      ['writer', false],
    ]);
    expect(untrusted).toBe(
      `${stage.folder} is not trusted, so the memory in it is not read: look at the project, then run coppice trust there`,
    );
    expect(await memory.show('scout')).toMatchObject({ ok: true, files: [{ text: 'mine\n' }] });
    for (const verb of ['show', 'diff', 'take', 'merge', 'publish', 'decline', 'rollBack', 'backups'] as const) {
      expect(await memory[verb]('reviewer'), verb).toEqual({ ok: false, name: 'reviewer', reason: untrusted });
    }
    expect(await memory.show('orphan')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('there is no agent'),
    });
    expect(looked.length).toBeGreaterThan(0);
    expect(looked.filter((path) => path.startsWith(join(stage.folder, '.claude/agent-memory')))).toEqual([]);
  });
});

/** Notes every path that is looked at or held. */
function notingHost(host: Host, looked: string[]): Host {
  const note =
    <A extends readonly unknown[], R>(call: (path: string, ...rest: A) => R) =>
    (path: string, ...rest: A): R => {
      looked.push(path);
      return call(path, ...rest);
    };
  const { stat, lstat, list, read, realpath, holdFolder, openRead } = host.files;
  const files = {
    ...host.files,
    stat: note(stat),
    lstat: note(lstat),
    list: note(list),
    read: note(read),
    realpath: note(realpath),
    holdFolder: note(holdFolder),
    openRead: note(openRead),
  };
  return { ...host, files, at: (folder) => notingHost(host.at(folder), looked) };
}

/** `coppice memory` with the real program: list and show, names, trust, bad input, exit codes (ME-5, ME-9, SF-2, SF-3). */

import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../../support/program.js';
import { agentFile } from '../../../unit/features/memory/memory-stage.js';
import { setPlainStage } from '../plain/plain-stage.js';
import { LOCAL, setStage } from './memory-stage.js';

beforeAll(buildProgram);

describe('coppice memory list', () => {
  it('SF-2, ME-5: shows scope, folder, files, size, lines and snapshot of every agent, and what no agent has; also as JSON', async () => {
    const stage = await setStage();
    await stage.trust();
    await stage.write(`${LOCAL}/reviewer/MEMORY.md`, 'one\ntwo\n');
    await stage.write(`${LOCAL}/reviewer/long.md`, 'x'.repeat(1992));
    await stage.write('.claude/agent-memory/old/a.md', 'a\n');
    const { code, stdout, stderr } = await stage.run('list');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'reviewer  local  2 files, 2 KB, MEMORY.md 2 lines',
      `    ${stage.folder}/.claude/agent-memory-local/reviewer`,
      '    snapshot: none',
      'writer  project  empty',
      `    ${stage.folder}/.claude/agent-memory/writer`,
      'scout  user  empty',
      `    ${stage.home}/.claude/agent-memory/scout`,
      'old  project  no agent uses it, 1 file, 2 bytes, no MEMORY.md',
      `    ${stage.folder}/.claude/agent-memory/old`,
      '',
    ]);
    const listed = JSON.parse((await stage.run('list', '--json')).stdout);
    expect(listed.memories).toHaveLength(4);
    expect(listed.memories[0]).toMatchObject({ name: 'reviewer', scope: 'local', files: 2, bytes: 2000, lines: 2 });
    expect(listed.memories[3]).toMatchObject({ name: 'old', isUnclaimed: true });
  });

  it('SF-3: where no agent has memory it shows how to give it; an agent file that can’t be read is named', async () => {
    const stage = await setPlainStage([]);
    const none = await runProgram(['memory', 'list'], stage.at);
    expect(none).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        'No agent here has memory. Add "memory: project" to an agent file to give it one.\n',
      ),
    });
    await stage.write('.claude/agents/broken.md', 'not text: \0');
    await stage.write('.claude/agents/odd.md', agentFile('odd').replace('---\nYou', 'memory: team\n---\nYou'));
    const broken = await runProgram(['memory', 'list', '--trust'], stage.at);
    expect(broken.stderr).toMatch(/broken\.md.*skipped: not a text file/);
    expect(broken.stderr).toMatch(/odd\.md.*user, project, local.*it has no memory/);
    expect((await runProgram(['memory', 'show', 'broken', '--trust'], stage.at)).stderr).toContain('broken.md');
    await stage.write('.claude/settings.json', '{"agents": 5}');
    expect(await runProgram(['memory', 'list', '--trust'], stage.at)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/settings\.json.*agents/),
    });
  });
});

describe('coppice memory show', () => {
  it('SF-2: prints MEMORY.md or another file as it is, and all of them as JSON', async () => {
    const stage = await setStage();
    await stage.trust();
    await stage.write(`${LOCAL}/reviewer/MEMORY.md`, 'one \u001b[2J\r\n\ttwo');
    await stage.write(`${LOCAL}/reviewer/parser.md`, 'parser\n');
    expect(await stage.run('show', 'Reviewer')).toEqual({
      code: 0,
      signal: null,
      stdout: 'one \u001b[2J\r\n\ttwo',
      stderr: '',
    });
    expect((await stage.run('show', 'reviewer', 'parser.md')).stdout).toBe('parser\n');
    expect(JSON.parse((await stage.run('show', 'reviewer', '--json')).stdout)).toMatchObject({
      ok: true,
      name: 'reviewer',
      scope: 'local',
      files: [{ name: 'MEMORY.md' }, { name: 'parser.md', text: 'parser\n' }],
    });
    expect(JSON.parse((await stage.run('show', 'reviewer', 'parser.md', '--json')).stdout).files).toHaveLength(1);
  });

  it('GT-20: a terminal gets nothing that it would act on', async () => {
    const stage = await setPlainStage([]);
    await stage.write('.claude/agents/writer.md', agentFile('writer', 'project'));
    await stage.write('.claude/agent-memory/writer/MEMORY.md', 'begin \u001b]0;title\u0007\u001b[2Jend');
    const screen = stage.screen(['memory', 'show', 'writer', '--trust']);
    expect(await screen.ended).toBe(0);
    expect(screen.text()).toContain('begin end');
    expect(screen.raw()).not.toContain('\u001b]0');
    expect(screen.raw()).not.toContain('\u001b[2J');
    await mkdir(join(stage.folder, '.claude/agent-memory/x\u001b[31mred'));
    const { stdout } = await runProgram(['memory', 'list', '--trust'], stage.at);
    expect(stdout).toContain('x\\u{1b}[31mred  project');
    expect(stdout).not.toContain('\u001b');
  });

  it('SF-3: missing things are reported: nothing noted, no such file, no MEMORY.md', async () => {
    const stage = await setStage();
    await stage.trust();
    expect(await stage.run('show', 'writer')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `error: nothing is noted yet by writer: ${stage.folder}/.claude/agent-memory/writer has no .md files\n`,
    });
    await stage.write('.claude/agent-memory/writer/parser.md', 'x\n');
    expect(await stage.run('show', 'writer', 'parsr.md')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('did you mean parser.md?'),
    });
    expect((await stage.run('show', 'writer')).stderr).toContain('there are: parser.md');
    const outside = await stage.write('.claude/secret.md', 'secret\n');
    await symlink(outside, join(stage.folder, '.claude/agent-memory/writer/link.md'));
    for (const file of ['../../secret.md', outside, 'link.md']) {
      const { code, stdout } = await stage.run('show', 'writer', file);
      expect({ code, stdout }, file).toEqual({ code: 1, stdout: '' });
    }
  });
});

describe('what is asked for wrongly', () => {
  it('ME-5: --scope takes a folder that no agent has any more', async () => {
    const stage = await setStage();
    await stage.trust();
    await stage.write(`${LOCAL}/reviewer/MEMORY.md`, 'local\n');
    await stage.write('.claude/agent-memory/reviewer/MEMORY.md', 'project\n');
    expect((await stage.run('show', 'reviewer')).stdout).toBe('local\n');
    expect((await stage.run('show', 'reviewer', '--scope', 'project')).stdout).toBe('project\n');
    expect(await stage.run('show', 'reviewer', '--scope', 'user')).toMatchObject({
      code: 2,
      stderr: 'error: there is no memory of scope user for reviewer; there is: local, project\n',
    });
  });
});

describe('where it is asked for', () => {
  it('ME-9: in a folder that is not trusted only "user" works, and how to trust it is reported; --trust looks all the same', async () => {
    const stage = await setStage();
    await stage.write('~/.claude/agent-memory/scout/MEMORY.md', 'mine\n');
    await stage.write(`${LOCAL}/reviewer/MEMORY.md`, 'theirs\n');
    const why = `${stage.folder} is not trusted, so the memory in it is not read: look at the project, then run coppice trust there`;
    const listed = await stage.run('list');
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain('scout  user  1 file, 5 bytes, MEMORY.md 1 line\n');
    expect(listed.stdout).toContain('reviewer  local  not read\n    the folder is not trusted\n');
    expect(listed.stdout.endsWith(`! ${why}\n`)).toBe(true);
    expect((await stage.run('show', 'scout')).stdout).toBe('mine\n');
    for (const verb of ['show', 'take', 'publish']) {
      expect(await stage.run(verb, 'reviewer'), verb).toMatchObject({ code: 1, stdout: '', stderr: `error: ${why}\n` });
    }
    expect((await stage.run('show', 'reviewer', '--trust')).stdout).toBe('theirs\n');
    await stage.trust();
    expect((await stage.run('show', 'reviewer')).stdout).toBe('theirs\n');
  });
});

/** The notes of an agent at the edges: hostile trees, dead disks, mounts, modes, a folder that became a link. */

import { execFileSync } from 'node:child_process';
import { truncateSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Files, HeldFolder } from '../../../src/host/files.js';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { gate } from '../../support/gate.js';
import { eventsOf } from '../../support/story.js';
import { requestsOf, script } from '../agents/agents-script.js';
import { type RepositoryStage, setRepository } from '../worktrees/worktree-stage.js';
import {
  begin,
  localMemory,
  memoryOf,
  projectMemory,
  read,
  resultOf,
  reviewer,
  setReviewer,
  TASK,
  userMemory,
  write,
} from './memory-stage.js';

const SECRET = 'CANARY of somebody else';

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

const linesOf = (stage: RepositoryStage) => eventsOf(stage, 'line-shown').map(({ line }) => line);
const snapshotOf = (stage: RepositoryStage, name: string) =>
  join(stage.folder, '.claude/agent-memory-snapshots/reviewer', name);

/** A machine on which calls that make or list folders are others. Held folders count too. */
function machine(real: Host, change: (at: string, files: Files | HeldFolder) => Partial<Files & HeldFolder>): Host {
  const changed = (held: HeldFolder): HeldFolder => {
    const { enter, makeFolder } = held;
    // The same object: the machine knows it.
    return Object.assign(held, {
      enter: async (name: string) => changed(await enter(name)),
      makeFolder: async (name: string, mode?: number) => changed(await makeFolder(name, mode)),
      ...change(held.path, { ...held }),
    });
  };
  const holdFolder = async (path: string) => changed(await real.files.holdFolder(path));
  const files = { ...real.files, holdFolder, ...change('', real.files) };
  return { ...real, files, at: (folder) => machine(real.at(folder), change) };
}

describe('ME-10: a start waits for no folder', () => {
  it.each(['local', 'user', 'project'])(
    'ME-10: %s: where folders are never made, the agent’s first request is sent',
    async (memory) => {
      const stage = await setReviewer(['Looked.'], { memory });
      await put(snapshotOf(stage, 'MEMORY.md'), 'of the team\n');
      await put(snapshotOf(stage, 'snapshot.json'), '{"updatedAt":"2026-01-01T00:00:00Z"}');
      const released = gate();
      const tried = gate();
      const isStuck = (path: string) => /agent-memory|\.claude|\/locks|\.git/.test(path);
      const stuck = machine(nodeHost(stage.folder, stage.env), (at, { makeFolder }) => ({
        makeFolder: async (path: string, mode?: number) => {
          if (isStuck(at === '' ? path : at)) {
            tried.open();
            await released.opened;
          }
          return makeFolder(path, mode) as never;
        },
      }));
      try {
        await (await stage.open({ trust: true, host: stuck })).send(begin());
        expect(memoryOf(stage)).toContain('MEMORY.md');
        // It was tried, aside from the work.
        if (memory === 'local') await tried.opened;
      } finally {
        released.open();
      }
    },
  );
});

describe('GT-32: what may be where the notes are expected', () => {
  const traps: readonly (readonly [string, (path: string) => unknown, RegExp])[] = [
    ['a pipe', (path) => execFileSync('mkfifo', [path]), /is not a regular file/],
    ['a link to a device', (path) => symlink('/dev/zero', path), /is a link/],
    ['a link to /proc', (path) => symlink('/proc/self/environ', path), /is a link/],
    ['a dangling link', (path) => symlink('/nowhere', path), /is a link/],
    ['a folder', (path) => mkdir(path), /is not a regular file/],
  ];

  it('GT-32 ME-3: a pipe, a device, /proc, a folder: the agent starts without its notes, with a line', async () => {
    for (const [what, trap, line] of traps) {
      const stage = await setReviewer(['Looked.']);
      await mkdir(projectMemory(stage), { recursive: true });
      await trap(projectMemory(stage, 'MEMORY.md'));
      await (await stage.open({ trust: true })).send(begin());
      expect(memoryOf(stage), what).toMatch(/could not be read: you start without your notes/);
      expect(linesOf(stage).join('\n'), what).toMatch(line);
      expect(linesOf(stage).join('\n'), what).toMatch(/reviewer starts without its notes: .*MEMORY\.md/);
    }
  });

  it('GT-32 ME-1: 8 GB are read as far as they are given', async () => {
    const stage = await setReviewer(['Looked.']);
    await put(projectMemory(stage, 'MEMORY.md'), 'first\n'.repeat(10_000));
    truncateSync(projectMemory(stage, 'MEMORY.md'), 2 ** 33);
    await (await stage.open({ trust: true })).send(begin());
    expect(memoryOf(stage)).toMatch(/the first 200 lines of 8589934592 bytes/);
    expect(memoryOf(stage).length).toBeLessThan(30_000);
  });

  it('GT-32: folders without an end are never listed to the end', async () => {
    const stage = await setReviewer([() => [write(localMemory(stage, 'b.md'), 'x')], 'Looked.'], { memory: 'local' });
    await put(localMemory(stage, 'MEMORY.md'), 'mine\n');
    await put(snapshotOf(stage, 'snapshot.json'), '{"updatedAt":"2026-01-01T00:00:00Z"}');
    const wanted: number[] = [];
    const names = (most = Number.POSITIVE_INFINITY) => {
      wanted.push(most);
      const count = Math.min(most, 200_000);
      return Array.from({ length: count }, (_, nth) => ({ name: `n${nth}.txt`, kind: 'file' as const }));
    };
    const endless = machine(nodeHost(stage.folder, stage.env), (at, { list }) => ({
      list: (async (first: string | number, most?: number) => {
        const folder = at === '' ? String(first) : at;
        if (!folder.includes('agent-memory')) return (list as Files['list'])(first as string, most);
        return names(at === '' ? most : Number(first));
      }) as never,
    }));
    await (await stage.open({ trust: true, host: endless })).send(begin());
    expect(memoryOf(stage)).toContain('mine');
    expect(Math.max(0, ...wanted)).toBeLessThanOrEqual(20_000);
  });
});

describe('ME-3: a folder that became a link', () => {
  it('ME-3: the agent starts without it, with a line, and has no tool for it', async () => {
    const stage = await setReviewer([() => [read(projectMemory(stage, 'MEMORY.md'))], 'Looked.'], { tools: 'Grep' });
    await put(join(stage.home, 'notes/reviewer/MEMORY.md'), SECRET);
    await symlink(join(stage.home, 'notes'), join(stage.folder, '.claude/agent-memory'));
    await (await stage.open({ trust: true })).send(begin());
    expect(memoryOf(stage)).toBe('');
    expect(linesOf(stage).join('\n')).toMatch(/reviewer works without its memory: .*agent-memory is a link/);
    expect(JSON.stringify(stage.sim.requests.map(({ body }) => body))).not.toContain(SECRET);
  });

  it('ME-3: after a resume nothing it leads to is read or written, by path or through it', async () => {
    const stage = await setRepository(
      script({
        main: [
          'One.',
          () => [read(join(stage.home, 'private/secret.md'))],
          () => [read(projectMemory(stage, 'secret.md'))],
          () => [write(projectMemory(stage, 'new.md'), 'x')],
          'Two.',
        ],
      }),
      { '.claude/agents/reviewer.md': reviewer() },
    );
    await put(projectMemory(stage, 'MEMORY.md'), 'mine\n');
    await put(join(stage.home, 'private/secret.md'), SECRET);
    await put(join(stage.home, 'private/MEMORY.md'), SECRET);
    const session = await stage.open({ trust: true, agent: 'reviewer' });
    await session.send('first');
    await session.close();
    await rename(projectMemory(stage), `${projectMemory(stage)}.aside`);
    await symlink(join(stage.home, 'private'), projectMemory(stage));
    const resumed = await stage.open({ trust: true, resume: 'latest' });
    await resumed.send('second');
    expect(stage.sim.requests.length).toBe(5);
    expect(JSON.stringify(stage.sim.requests.map(({ body }) => body))).not.toContain(SECRET);
    expect((await readdir(join(stage.home, 'private'))).sort()).toEqual(['MEMORY.md', 'secret.md']);
  });
});

describe('ME-7: a mount', () => {
  it('ME-7: moves local notes there, under the repository’s own name; the settings of a project can’t', async () => {
    const keep = () => [write(join(folderOf(stage), 'MEMORY.md'), 'mine\n')];
    const stage = await setReviewer([keep, 'Looked.', keep, 'Looked.'], { memory: 'local' });
    const [mount, other] = [join(stage.home, 'mount'), join(stage.home, 'other')];
    for (const folder of [mount, other]) await mkdir(folder);
    const names = ['COPPICE_REMOTE_MEMORY_DIR', 'CLAUDE_CODE_REMOTE_MEMORY_DIR'];
    const env = Object.fromEntries(names.map((name) => [name, other]));
    for (const file of ['settings.json', 'settings.local.json'])
      await put(join(stage.folder, '.claude', file), JSON.stringify({ env }));
    await (await stage.open({ trust: true })).send(begin());
    expect(await readFile(localMemory(stage, 'MEMORY.md'), 'utf8')).toBe('mine\n');
    expect(await readdir(other)).toEqual([]);

    await rm(localMemory(stage), { recursive: true });
    await (await stage.open({ trust: true, env: { ...stage.env, [names[0] ?? '']: mount } })).send(begin());
    const [key = ''] = await readdir(join(mount, 'projects'));
    expect(await readFile(join(mount, 'projects', key, 'agent-memory-local/reviewer/MEMORY.md'), 'utf8')).toBe(
      'mine\n',
    );
    await expect(stat(localMemory(stage))).rejects.toThrow();
    expect(((await stat(join(mount, 'projects'))).mode & 0o777).toString(8)).toBe('700');
    expect(await readdir(other)).toEqual([]);
  });

  it('ME-7: a mount that is not there: the agent works without its memory, and nothing is made', async () => {
    const stage = await setReviewer(['Looked.'], { memory: 'local' });
    const env = { ...stage.env, COPPICE_REMOTE_MEMORY_DIR: join(stage.home, 'missing') };
    await (await stage.open({ trust: true, env })).send(begin());
    expect(requestsOf(stage.sim, TASK)).toHaveLength(1);
    expect(memoryOf(stage)).toBe('');
    expect(linesOf(stage).join('\n')).toMatch(
      /without its memory: .*missing is not a folder: mount it, or unset COPPICE_/,
    );
    await expect(stat(join(stage.home, 'missing'))).rejects.toThrow();
  });
});

describe('ME-3: modes of a session', () => {
  it('ME-3: private notes are private and a project’s are not, also where .claude is made for them', async () => {
    const before = process.umask(0o002);
    onTestFinished(() => void process.umask(before));
    const modes: Record<string, string> = {};
    for (const [memory, at] of [
      ['local', localMemory],
      ['user', userMemory],
      ['project', projectMemory],
    ] as const) {
      const stage = await setReviewer([() => [write(at(stage, 'MEMORY.md'), 'mine\n')], 'Looked.'], { memory });
      await rename(join(stage.folder, '.claude'), join(stage.home, '.claude'));
      await (await stage.open({ trust: true })).send(begin());
      expect(resultOf(stage), memory).toMatchObject({ isError: false });
      for (const path of [
        at(stage, 'MEMORY.md'),
        at(stage),
        dirname(at(stage)),
        ...(memory === 'user' ? [] : [join(stage.folder, '.claude')]),
      ])
        modes[`${memory} ${path.slice(dirname(stage.folder).length)}`] = ((await stat(path)).mode & 0o777).toString(8);
    }
    expect(modes).toEqual({
      'local /project/.claude': '775',
      'local /project/.claude/agent-memory-local': '700',
      'local /project/.claude/agent-memory-local/reviewer': '700',
      'local /project/.claude/agent-memory-local/reviewer/MEMORY.md': '600',
      'user /home/.claude/agent-memory': '700',
      'user /home/.claude/agent-memory/reviewer': '700',
      'user /home/.claude/agent-memory/reviewer/MEMORY.md': '600',
      'project /project/.claude': '775',
      'project /project/.claude/agent-memory': '775',
      'project /project/.claude/agent-memory/reviewer': '775',
      'project /project/.claude/agent-memory/reviewer/MEMORY.md': '664',
    });
  });
});

describe('ME-4: the team’s notes before they are mine', () => {
  it('ME-4: an agent without MEMORY.md of its own is not given those that were settled already', async () => {
    const stage = await setReviewer(['Looked.'], { memory: 'local' });
    await put(localMemory(stage, 'other.md'), 'mine\n');
    await put(localMemory(stage, '.snapshot-synced.json'), '{"syncedFrom":"2026-01-01T00:00:00Z"}');
    await put(snapshotOf(stage, 'snapshot.json'), '{"updatedAt":"2026-01-01T00:00:00Z"}');
    await put(snapshotOf(stage, 'MEMORY.md'), 'of the team\n');
    await (await stage.open({ trust: true })).send(begin());
    expect(memoryOf(stage)).toMatch(/you have no notes so far/);
    expect(memoryOf(stage)).not.toContain('of the team');
  });
});

/** The folder of notes that the agent was given. */
function folderOf(stage: RepositoryStage): string {
  return /in the folder (\S+)\. /.exec(memoryOf(stage, requestsOf(stage.sim, TASK).length))?.[1] ?? '';
}

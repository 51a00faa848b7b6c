/** Where an agent's notes are: found without making anything, and never behind a link that leads away (ME-3). */

import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findMemory } from '../../../../src/context/memory/find-memory.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import type { MemoryScope } from '../../../../src/protocol/agent-spawned.js';
import { scratchFolder } from '../../../support/scratch.js';

type Place = {
  readonly top: string;
  readonly root: string;
  readonly home: string;
  readonly outside: string;
  find(scope: MemoryScope, env?: Readonly<Record<string, string>>, root?: string): ReturnType<typeof findMemory>;
};

async function place(): Promise<Place> {
  const top = await scratchFolder();
  const [root, home, outside] = ['project', 'home', 'outside'].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [root, home, outside]) await mkdir(folder);
  const find: Place['find'] = (scope, env = {}, at = root) =>
    findMemory(nodeHost(at, { HOME: home, ...env }), { scope, type: 'reviewer', known: [], root: at });
  return { top, root, home, outside, find };
}

const SCOPES = [
  ['user', 'home/.claude', 'agent-memory'],
  ['project', 'project/.claude', 'agent-memory'],
  ['local', 'project/.claude', 'agent-memory-local'],
] as const;

describe('what is found', () => {
  it.each(SCOPES)('ME-10: %s: a folder that need not exist, and nothing is made', async (scope, base, name) => {
    const { top, find } = await place();
    expect(await find(scope)).toMatchObject({
      ok: true,
      place: { folder: join(top, base, name, 'reviewer'), parent: join(top, base, name) },
    });
    expect(readdirSync(top, { recursive: true }).sort()).toEqual(['home', 'outside', 'project']);
  });

  it.each(SCOPES)('ME-3: %s: private unless it is the team’s', async (scope) => {
    const { find } = await place();
    expect(await find(scope)).toMatchObject({ ok: true, place: { isPrivate: scope !== 'project' } });
  });

  it('ME-3: a home that is reached through a link is named by its real path, also before .claude is there', async () => {
    const { top, home, find } = await place();
    await symlink(home, join(top, 'linked'));
    const folder = join(home, '.claude/agent-memory/reviewer');
    expect(await find('user', { HOME: join(top, 'linked') })).toMatchObject({ ok: true, place: { folder } });
    await mkdir(join(home, '.claude'));
    expect(await find('user', { HOME: join(top, 'linked') })).toMatchObject({ ok: true, place: { folder } });
  });

  it('ME-3: a project may keep its .claude elsewhere in the project', async () => {
    const { root, find } = await place();
    await mkdir(join(root, 'tools/claude'), { recursive: true });
    await symlink('tools/claude', join(root, '.claude'));
    expect(await find('project')).toMatchObject({
      ok: true,
      place: { folder: join(root, 'tools/claude/agent-memory/reviewer') },
    });
  });
});

describe('what is refused, with a reason', () => {
  /** A link in place of each folder on the way. */
  const levels = SCOPES.flatMap(([scope, base, name]) => [
    ...(scope === 'user' ? [] : [[scope, base] as const]),
    [scope, join(base, name)] as const,
    [scope, join(base, name, 'reviewer')] as const,
  ]);

  it.each(levels)(
    'ME-3: %s: %s is a link to outside, a dangling one, a cycle, a file, a pipe',
    async (scope, level) => {
      const traps: readonly ((path: string, outside: string) => Promise<unknown>)[] = [
        (path, outside) => symlink(outside, path),
        (path, outside) => symlink(`../${'../'.repeat(level.split('/').length - 2)}outside`, path).then(() => outside),
        (path, outside) => symlink(join(outside, 'missing'), path),
        (path) => symlink(path, path),
        (path) => symlink('/', path),
        (path) => symlink('/proc/self/cwd', path),
        (path) => writeFile(path, ''),
        async (path) => execFileSync('mkfifo', [path]),
      ];
      for (const [index, trap] of traps.entries()) {
        const { top, outside, find } = await place();
        const path = join(top, level);
        await mkdir(join(path, '..'), { recursive: true });
        await trap(path, outside);
        const found = await find(scope);
        expect(found, `trap ${index}`).toMatchObject({ ok: false, reason: expect.stringMatching(/./) });
        expect(readdirSync(outside)).toEqual([]);
      }
    },
  );

  it('ME-3: the .claude of a project is a link to a sibling with the same beginning, or to the project itself', async () => {
    for (const target of ['../project-evil', '.', '..']) {
      const { top, root, find } = await place();
      await mkdir(join(top, 'project-evil'));
      await symlink(target, join(root, '.claude'));
      for (const scope of ['project', 'local'] as const)
        expect(await find(scope), target).toMatchObject({
          ok: false,
          reason: expect.stringContaining('out of the project'),
        });
    }
  });

  it('ME-3: local notes are not given where the team’s snapshot is a link', async () => {
    const { root, outside, find } = await place();
    await mkdir(join(root, '.claude/agent-memory-snapshots'), { recursive: true });
    await symlink(outside, join(root, '.claude/agent-memory-snapshots/reviewer'));
    expect(await find('local')).toMatchObject({ ok: false, reason: expect.stringContaining('is a link') });
  });
});

describe('ME-7: a mount for local notes', () => {
  it.each(['COPPICE_REMOTE_MEMORY_DIR', 'CLAUDE_CODE_REMOTE_MEMORY_DIR'])(
    'ME-7: %s: two repositories with the same folder name never meet, a link to the mount is followed',
    async (name) => {
      const { top, find } = await place();
      await mkdir(join(top, 'mount'));
      await symlink('mount', join(top, 'linked'));
      const folders: string[] = [];
      for (const parent of ['a', 'b']) {
        const root = join(top, parent, 'project');
        await mkdir(root, { recursive: true });
        for (const mount of ['mount', 'linked']) {
          const found = await find('local', { [name]: join(top, mount) }, root);
          if (!found.ok) throw new Error(found.reason);
          expect(found.place.folder.startsWith(join(top, 'mount/projects/'))).toBe(true);
          expect(found.place.snapshot?.folder).toBe(join(root, '.claude/agent-memory-snapshots/reviewer'));
          folders.push(found.place.folder);
        }
      }
      expect(folders[0]).toBe(folders[1]);
      expect(folders[2]).toBe(folders[3]);
      expect(folders[0]).not.toBe(folders[2]);
      expect(readdirSync(join(top, 'mount'))).toEqual([]);
    },
  );

  it.each(['COPPICE_REMOTE_MEMORY_DIR', 'CLAUDE_CODE_REMOTE_MEMORY_DIR'])(
    'ME-7: %s: missing, a file, a dangling link, a cycle, relative: no memory, and a line that names it',
    async (name) => {
      const { top, root, find } = await place();
      await writeFile(join(top, 'file'), '');
      await symlink(join(top, 'nowhere'), join(top, 'dangling'));
      await symlink('cycle', join(top, 'cycle'));
      for (const mount of ['missing', 'file', 'file/below', 'dangling', 'cycle']) {
        const found = await find('local', { [name]: join(top, mount) });
        expect(found, mount).toMatchObject({ ok: false, reason: expect.stringContaining(join(top, mount)) });
        expect(found, mount).toMatchObject({ reason: expect.stringContaining(name) });
      }
      expect(await find('local', { [name]: 'mount' })).toMatchObject({
        ok: false,
        reason: expect.stringContaining(name),
      });
      // The others have nothing to do with it.
      expect(await find('project', { [name]: 'mount' })).toMatchObject({ ok: true });
      expect(readdirSync(root)).toEqual([]);
    },
  );

  it('ME-7 ME-3: what is in the mount is entered name by name too', async () => {
    const { top, outside, find } = await place();
    const env = { COPPICE_REMOTE_MEMORY_DIR: join(top, 'mount') };
    await mkdir(join(top, 'mount'));
    await symlink(outside, join(top, 'mount/projects'));
    expect(await find('local', env)).toMatchObject({ ok: false, reason: expect.stringContaining('is a link') });
  });
});

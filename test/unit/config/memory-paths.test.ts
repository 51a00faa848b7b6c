/** The names of memory folders, and where each scope is. */

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  memoryLock,
  memoryName,
  memoryPath,
  refuseRemoteMemory,
  remoteMemory,
  snapshotPath,
} from '../../../src/config/memory-paths.js';
import fc from '../../support/fast-check.js';

const hashOf = (type: string) => createHash('sha256').update(type).digest('hex').slice(0, 8);

const ODD = [
  ['what a plugin may call it', 'a:b', 'a--b', 'a::b', 'a:b:', ':a:b', 'a b', 'a/b', 'a\\b'],
  ['dots', '.', '..', '...', '.git', '.coppice', 'a.', 'a..', '.a', '../evil', '../../x', 'a/../../b', './a'],
  ['devices', 'con', 'CON', 'nul', 'nul.md', 'com1', 'com0', 'lpt9', 'COM1.txt', 'aux.', 'prn', 'com¹', 'conin$'],
  ['nothing left', '', ' ', '-', ':', '::', '…', '日本語', 'Ж', '\0', '\n'],
  [
    'lookalikes',
    'rеviewer',
    'ｒeviewer',
    'reviewer\u200b',
    'rev\u0131ewer',
    'revıewer',
    'REVİEWER',
    'é',
    'e\u0301',
    'ﬀ',
  ],
  ['control', 'a\0b', 'a\nb', 'a\u202eb', '\ud800', 'a\u0000/../x'],
  ['length', 'x'.repeat(80), 'x'.repeat(81), 'x'.repeat(300), `${'x'.repeat(79)}:y`, `${'x'.repeat(79)}.y`],
] as const;
const ALL: readonly string[] = ODD.flatMap(([, ...types]) => types);

/** Types that come close to each other: few letters, and everything that is mapped away. */
const near = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'B', 'b', ':', '-', '.', '_', ' ', '/', 'é', '\0'), maxLength: 6 }),
  fc.constantFrom(...ALL),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('con', 'agent', 'agent-con', 'agent-', 'x'.repeat(80), 'x'.repeat(100)),
);
/** Also types that are named as another's folder is. */
const sets = fc
  .uniqueArray(near, { minLength: 2, maxLength: 8 })
  .chain((types) =>
    fc
      .subarray(types)
      .map((some) => [
        ...new Set([...types, ...some.flatMap((type) => [memoryName(type, types), memoryName(type, [])])]),
      ]),
  );

/** What a file system that knows no case, and leaves out dots and blanks at the end, makes of a name. */
const folded = (name: string) =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[. ]+$/, '');

describe('ME-2: the name of a folder', () => {
  it.each([
    ['reviewer', [], 'reviewer'],
    ['a:b', [], 'a-b'],
    ['a:b', ['a:b', 'c'], 'a-b'],
    ['a:b', ['a:b', 'a-b'], `a-b-${hashOf('a:b')}`],
    ['a-b', ['a:b', 'a-b'], 'a-b'],
    ['a:b-c', ['a:b-c', 'a-b:c'], `a-b-c-${hashOf('a:b-c')}`],
    ['a-b:c', ['a:b-c', 'a-b:c'], `a-b-c-${hashOf('a-b:c')}`],
    ['Reviewer', [], `reviewer-${hashOf('Reviewer')}`],
    ['con', [], `agent-con-${hashOf('con')}`],
    ['', [], `agent-${hashOf('')}`],
    ['../evil', [], `evil-${hashOf('../evil')}`],
  ])('ME-2: %j among %j is %s', (type, known, name) => {
    expect(memoryName(type, known)).toBe(name);
  });

  it.each(ALL)('ME-2: %j becomes one plain name that no system reserves', (type) => {
    for (const known of [[], [type], ALL]) {
      const name = memoryName(type, known);
      expect(name).toMatch(/^[a-z0-9_][a-z0-9._-]*$/);
      expect(name).not.toMatch(/\.$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/);
      expect(name.length).toBeLessThanOrEqual(120);
    }
  });

  it('ME-2: a type that is named as the folder of another does not get it', () => {
    const types = ['a:b', 'a-b', `a-b-${hashOf('a:b')}`];
    expect(new Set(types.map((type) => memoryName(type, types))).size).toBe(3);
    // Also if it is the only one there is: the other may be of another project.
    expect(memoryName(`reviewer-${hashOf('Reviewer')}`, [])).not.toBe(memoryName('Reviewer', []));
  });

  it('ME-2: two types of one set never meet, whatever the file system ignores', () => {
    fc.assert(
      fc.property(sets, (types) => {
        const names = types.map((type) => folded(memoryName(type, types)));
        expect(new Set(names).size, JSON.stringify(types.map((type, at) => [type, names[at]]))).toBe(types.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it('ME-2: always one plain component', () => {
    fc.assert(
      fc.property(near, fc.array(near), (type, known) => {
        expect(memoryName(type, known)).toMatch(/^[a-z0-9_][a-z0-9._-]{0,119}$/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('ME-2: a name stays when types are added that do not meet it, in whatever order they are known', () => {
    fc.assert(
      fc.property(sets, near, (types, added) => {
        const [type = ''] = types;
        const before = memoryName(type, types);
        expect(memoryName(type, types.toReversed())).toBe(before);
        const meets = memoryName(added, []).startsWith(memoryName(type, []));
        if (!meets) expect(memoryName(type, [...types, added])).toBe(before);
        // A type with a plain name of its own is never moved, so its notes stay.
        if (/^[a-z]+$/.test(type)) expect(before).toBe(memoryName(type, []));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('where each scope is', () => {
  const root = '/work/project';
  const home = { HOME: '/home/ada' };

  it('ME-1: user, project, local and the snapshot', () => {
    const at = { root, env: home };
    expect(memoryPath('user', 'r', at)).toEqual({ base: '/home/ada/.claude', names: ['agent-memory', 'r'] });
    expect(memoryPath('project', 'r', at)).toEqual({ base: root, names: ['.claude', 'agent-memory', 'r'] });
    expect(memoryPath('local', 'r', at)).toEqual({ base: root, names: ['.claude', 'agent-memory-local', 'r'] });
    expect(snapshotPath('r', at)).toEqual({ base: root, names: ['.claude', 'agent-memory-snapshots', 'r'] });
  });

  it('ME-7: only local moves to the mount, and two repositories with one name never meet', () => {
    for (const name of ['COPPICE_REMOTE_MEMORY_DIR', 'CLAUDE_CODE_REMOTE_MEMORY_DIR']) {
      const env = { ...home, [name]: '/mnt/notes' };
      const [one, two] = ['/work/a/project', '/work/b/project'].map((where) =>
        memoryPath('local', 'r', { root: where, env }),
      );
      expect(one).toMatchObject({
        base: '/mnt/notes',
        names: ['projects', expect.stringMatching(/^[\w-]+$/), 'agent-memory-local', 'r'],
      });
      expect(two?.names[1]).not.toBe(one?.names[1]);
      for (const scope of ['user', 'project'] as const)
        expect(memoryPath(scope, 'r', { root, env })).toEqual(memoryPath(scope, 'r', { root, env: home }));
    }
  });

  it('ME-7: roots whose readable names are the same are different folders', () => {
    const env = { ...home, COPPICE_REMOTE_MEMORY_DIR: '/mnt/notes' };
    const deep = `/${'d'.repeat(70)}`;
    const roots = ['/a/b', '/a-b', '/a_b', '/a b', '/A/b', `/x${deep}`, `/y${deep}`, '/', '/é', '/è'];
    const keys = roots.map((where) => memoryPath('local', 'r', { root: where, env }).names[1]?.toLowerCase());
    expect(new Set(keys).size).toBe(roots.length);
  });

  it('ME-7: our own variable takes precedence, an empty one is ignored, a relative one is refused', () => {
    const both = { COPPICE_REMOTE_MEMORY_DIR: '/mnt/a', CLAUDE_CODE_REMOTE_MEMORY_DIR: '/mnt/b' };
    expect(remoteMemory(both)).toBe('/mnt/a');
    expect(remoteMemory({ ...both, COPPICE_REMOTE_MEMORY_DIR: ' ' })).toBe('/mnt/b');
    expect(remoteMemory({ COPPICE_REMOTE_MEMORY_DIR: '' })).toBeUndefined();
    for (const relative of ['notes', './notes', '../notes', '~/notes', 'C:\\notes'])
      expect(refuseRemoteMemory({ COPPICE_REMOTE_MEMORY_DIR: relative })).toMatch(/set it to the absolute path/);
    expect(refuseRemoteMemory({ COPPICE_REMOTE_MEMORY_DIR: '/mnt/a' })).toBeUndefined();
    // The one to change is named.
    expect(refuseRemoteMemory({ CLAUDE_CODE_REMOTE_MEMORY_DIR: 'notes' })).toMatch(/^CLAUDE_CODE_REMOTE_MEMORY_DIR is/);
  });

  it('ME-8: each folder has its own lock, in our own home', () => {
    const env = { HOME: '/home/ada', COPPICE_HOME: '/home/ada/.coppice' };
    const locks = ['/a/b', '/a/b2', '/a'].map((folder) => memoryLock(env, folder));
    expect(new Set(locks).size).toBe(3);
    for (const lock of locks) expect(lock).toMatch(/^\/home\/ada\/\.coppice\/locks\/memory-[0-9a-f]{24}\.lock$/);
  });
});

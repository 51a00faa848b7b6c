/** A program's name leads to its real file, and only a file that the user can't change is the system's. */

import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileStat, SyncFiles } from '../../../src/host/files.js';
import { nodeFiles } from '../../../src/host/node-files.js';
import { findExecutable } from '../../../src/host/programs/find-executable.js';
import { scratchFolder } from '../../support/scratch.js';

const { sync } = nodeFiles;
const PERSON = { id: 1000, groups: [1000, 27] };

test('GT-23: the first program of the PATH is found by its real file; a folder, a text and a relative entry are none', async () => {
  const folder = await scratchFolder();
  for (const name of ['one', 'two/tool', 'three', 'real']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'one', 'tool'), 'text', { mode: 0o644 });
  writeFileSync(join(folder, 'real', 'tool'), '#!/bin/sh\n', { mode: 0o755 });
  symlinkSync('../real/tool', join(folder, 'three', 'tool'));
  const path = ['.', 'real', ...['one', 'two', 'three', 'real'].map((name) => join(folder, name))].join(':');
  expect(findExecutable('tool', path, sync)).toEqual({ real: join(folder, 'real', 'tool'), ofSystem: false });
  for (const name of ['missing', '', 'real/tool']) expect(findExecutable(name, path, sync)).toBeUndefined();
});

test('GT-23: a program of the system is one that the person can’t write, nor any folder on the way; never a shim', () => {
  const real = realpathSync('/usr/bin/env');
  expect(findExecutable('env', '/usr/bin', sync, PERSON)).toEqual({ real, ofSystem: true });
  const changed = (path: string, change: Partial<FileStat>): SyncFiles => ({
    ...sync,
    lstat: (asked) => {
      const stat = sync.lstat(asked);
      return stat !== undefined && asked === path ? { ...stat, ...change } : stat;
    },
  });
  const owner = { user: 0, group: 0 };
  const ofSystem = (files: SyncFiles, user = PERSON) => findExecutable('env', '/usr/bin', files, user)?.ofSystem;
  for (const path of [real, '/usr/bin', '/usr', '/']) {
    expect(ofSystem(changed(path, { owner: { ...owner, user: 1000 } }))).toBe(false);
    expect(ofSystem(changed(path, { mode: 0o100777 }))).toBe(false);
    expect(ofSystem(changed(path, { owner: { user: 0, group: 27 }, mode: 0o100775 }))).toBe(false);
    expect(ofSystem(changed(path, { owner: { user: 0, group: 28 }, mode: 0o100775 }))).toBe(true);
    expect(ofSystem(changed(path, { mode: 0o100777 }), { id: 0, groups: [0] })).toBe(true);
  }
});

test('GT-23: shims of version managers are no programs of the system, wherever they are', () => {
  const stat = sync.lstat(realpathSync('/usr/bin/env'));
  const files = (real: string): SyncFiles => ({ ...sync, realpath: () => real, lstat: () => stat });
  for (const real of [
    '/opt/asdf/shims/node',
    '/usr/bin/mise',
    '/usr/bin/rustup',
    '/opt/volta/bin/volta-shim',
    '/home/u/.bin/node',
  ]) {
    expect([real, findExecutable('node', '/x', files(real), PERSON)?.ofSystem]).toEqual([real, false]);
  }
  expect(findExecutable('node', '/x', files('/usr/lib/node/bin/node'), PERSON)?.ofSystem).toBe(true);
});

/** What was checked is what is opened, whoever swaps folders and names meanwhile (GT-28). */

import { execFileSync } from 'node:child_process';
import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { heldFolder } from '../../../src/host/node-held-folder.js';
import { holdByDescriptor, holdByName } from '../../../src/host/node-hold.js';
import type { Tool } from '../../../src/tools/tool.js';
import { swappingHost } from '../../support/hosts/swapping-host.js';
import { makeBench } from '../../unit/tools/tool-bench.js';
import { edit, filesBelow, glob, grep, read, write } from './held-folder-stage.js';

describe('a last name that is swapped', () => {
  const swaps: readonly (readonly [string, (path: string, outside: string) => Promise<unknown>])[] = [
    ['a link', (path, outside) => symlink(join(outside, 'secret'), path)],
    ['a pipe', async (path) => execFileSync('mkfifo', [path])],
    ['a folder', (path) => mkdir(path)],
  ];

  it.each(
    swaps.flatMap(([what, make]) =>
      [read, write, edit, grep].map((tool) => [(tool as Tool).name, what, tool as Tool, make] as const),
    ),
  )('GT-28 %s meets %s in its place: refused, nothing outside is read or written', async (_tool, _what, tool, make) => {
    for (let step = 0; ; step += 1) {
      const bench = await makeBench();
      const path = await bench.write('file.txt', 'text');
      await bench.say(read as Tool, { file_path: path });
      await writeFile(join(bench.outside, 'secret'), 'secret text');
      const { host, steps } = swappingHost(bench.context.host, step, async () => {
        await rm(path);
        await make(path, bench.outside);
      });
      const input = { file_path: path, path, content: 'n', old_string: 'text', new_string: 'n', pattern: 'secret' };
      const said = await bench.say(tool, input, { host, judged: new Map([[path, path]]) });
      expect(said).not.toContain('secret text');
      expect(readFileSync(join(bench.outside, 'secret'), 'utf8')).toBe('secret text');
      expect(readdirSync(bench.root)).toEqual(['file.txt']);
      if (steps() <= step) return;
    }
  });
});

describe('temporary files', () => {
  it('GT-28 what a killed process left is removed by the next write in that folder, and nothing else is', async () => {
    const bench = await makeBench();
    const left = '.file.txt.0b6a2b7e-6a53-4c3f-9f7e-2f6f5b0f3a11.coppice-tmp';
    const young = '.file.txt.1b6a2b7e-6a53-4c3f-9f7e-2f6f5b0f3a11.coppice-tmp';
    const others = ['.file.txt.tmp', 'file.coppice-tmp', '.env'];
    for (const name of [left, young, ...others]) await bench.write(name, 'x');
    const old = Date.now() / 1000 - 3600;
    for (const name of [left, ...others]) utimesSync(bench.path(name), old, old);
    await bench.say(write as Tool, { file_path: bench.path('file.txt'), content: 'new' });
    expect(readdirSync(bench.root).sort()).toEqual(['file.txt', young, ...others].sort());
  });

  it('GT-28 are in the folder of the file, and gone when the disk refuses', async () => {
    const bench = await makeBench();
    await mkdir(bench.path('file.txt'));
    const held = await bench.context.host.files.holdFolder(bench.root);
    await expect(held.replace('file.txt', 'x')).rejects.toMatchObject({ code: 'EISDIR' });
    await held.close();
    expect(readdirSync(bench.root)).toEqual(['file.txt']);
  });
});

describe.each([
  ['by descriptor', holdByDescriptor],
  ['by name', holdByName],
])('a folder held %s', (_how, hold) => {
  it('GT-28 is refused when its path leads elsewhere by a link, at any level', async () => {
    const bench = await makeBench();
    await mkdir(join(bench.outside, 'a/b'), { recursive: true });
    await symlink(join(bench.outside, 'a'), bench.path('a'));
    await expect(hold(bench.path('a/b'))).rejects.toMatchObject({ code: 'ESTALE' });
    await expect(hold(bench.path('a'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await writeFile(bench.path('file'), '');
    await expect(hold(bench.path('file'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it('GT-28 writes and reads in itself, follows no last link, and takes single names only', async () => {
    const bench = await makeBench();
    await writeFile(join(bench.outside, 'secret'), 'secret');
    await symlink(join(bench.outside, 'secret'), bench.path('link'));
    await symlink(bench.outside, bench.path('folder-link'));
    const made = await hold(bench.root);
    if (made === undefined) throw new Error('no /proc');
    const held = heldFolder(made);
    await expect(held.openRead('link')).rejects.toMatchObject({ code: 'ELOOP' });
    await expect(held.makeFolder('folder-link')).rejects.toMatchObject({ code: 'ENOTDIR' });
    const below = await held.makeFolder('new');
    const stat = await below.replace('file', 'text', { was: 'nothing', mode: 0o640 });
    await expect(below.replace('file', 'again', { was: 'nothing' })).rejects.toMatchObject({ code: 'ESTALE' });
    await below.replace('file', 'again', { was: stat });
    expect(lstatSync(bench.path('new/file')).mode & 0o777).toBe(0o640);
    const file = await below.openRead('file');
    expect((await file.read(0, 100)).toString()).toBe('again');
    expect(readFileSync(file.processPath, 'utf8')).toBe('again');
    for (const name of ['', '.', '..', 'a/b', 'a\0b']) expect(() => held.lstat(name)).toThrow(RangeError);
    await Promise.all([file.close(), below.close(), held.close()]);
    expect(readdirSync(bench.path('new'))).toEqual(['file']);
    expect(readFileSync(join(bench.outside, 'secret'), 'utf8')).toBe('secret');
  });

  it('GT-28 a link that takes its place afterwards gets nothing', async () => {
    const bench = await makeBench();
    await mkdir(bench.path('sub'));
    const made = await hold(bench.path('sub'));
    if (made === undefined) throw new Error('no /proc');
    const held = heldFolder(made);
    await rename(bench.path('sub'), bench.path('aside'));
    await symlink(bench.outside, bench.path('sub'));
    await held.replace('file', 'text').catch(() => {});
    await held.close();
    expect(readdirSync(bench.outside)).toEqual([]);
  });
});

it('GT-28 descriptors are given back', async () => {
  const bench = await makeBench();
  const path = await bench.write('sub/known.txt', 'text');
  const first = openSync('/dev/null', 'r');
  closeSync(first);
  for (let count = 0; count < 50; count += 1) {
    await bench.call(read as Tool, { file_path: path });
    await bench.call(grep as Tool, { pattern: 'text', path });
    await bench.call(glob as Tool, { pattern: '**', path: bench.root });
    await bench.call(write as Tool, { file_path: bench.path(`sub/a/${count}`), content: 'x' });
    await bench.call(edit as Tool, { file_path: path, old_string: 'nothing like it', new_string: 'x' });
  }
  const last = openSync('/dev/null', 'r');
  closeSync(last);
  expect(last).toBeLessThan(first + 20);
});

it('GT-28 a folder that was let go leads nowhere, though its number belongs to another by then', async (context) => {
  const bench = await makeBench();
  await mkdir(bench.path('held'));
  const hold = await holdByDescriptor(bench.path('held'));
  if (hold === undefined) return context.skip('this system holds no folder by a descriptor');
  const folder = heldFolder(hold);
  await folder.close();
  const other = openSync(bench.outside, 'r');
  try {
    await expect(folder.replace('new.txt', 'x')).rejects.toMatchObject({ code: 'EBADF' });
    // Twice is once: the number is no longer ours to close.
    await folder.close();
    expect(fstatSync(other).isDirectory()).toBe(true);
  } finally {
    closeSync(other);
  }
  expect(filesBelow(bench.outside)).toEqual([]);
});

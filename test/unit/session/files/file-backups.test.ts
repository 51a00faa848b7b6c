/** DU-23 on a real disk: content is safe before a change, and a rewind takes only what is known to be ours. */

import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sessionLayout } from '../../../../src/config/paths.js';
import type { Host } from '../../../../src/host/host.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import type { Emit } from '../../../../src/session/emit.js';
import { createFileBackups } from '../../../../src/session/files/file-backups.js';
import { readPath } from '../../../../src/session/files/path-state.js';
import { changedByOthers, type FileTarget, rewindFiles } from '../../../../src/session/files/rewind-files.js';
import { scratchFolder } from '../../../support/scratch.js';

const real = nodeHost('/');
const BY = { agent: 'main', call: 'c' };

/** Notes in order what is stored, synced and recorded. `isBroken`: the folder of stored content can't be synced. */
async function setStage(isBroken = false) {
  const home = await scratchFolder();
  const layout = sessionLayout(home, 'p', 's');
  const notes: string[] = [];
  const host: Host = {
    ...real,
    files: {
      ...real.files,
      replace: async (path, content, mode) => {
        await real.files.replace(path, content, mode);
        notes.push(`stored ${content}`);
      },
      syncFolder: async (path) => {
        if (path !== layout.files) return real.files.syncFolder(path);
        if (isBroken) throw Object.assign(new Error('bad disk'), { code: 'EIO' });
        await real.files.syncFolder(path);
        notes.push('synced');
      },
    },
  };
  const emit = (async (event: { kind: string; path?: string }) => {
    notes.push(`${event.kind} ${basename(event.path ?? '')}`);
    return notes.length;
  }) as Emit;
  const write = async (name: string, content: string) => {
    await writeFile(join(home, name), content);
    return join(home, name);
  };
  return { host, layout, notes, write, backups: createFileBackups(host, layout, () => emit) };
}

describe('before a change', () => {
  it('DU-23: each content, not only the first, is stored and its folder synced before the record', async () => {
    const { backups, notes, write } = await setStage();
    const [a, b] = [await write('a', 'one'), await write('b', 'two')];
    expect(await backups.backUp([a], BY)).toBeUndefined();
    expect(await backups.backUp([b, a], BY)).toBeUndefined();
    expect(notes).toEqual([
      'stored one',
      'synced',
      'file-kept a',
      'stored two',
      'synced',
      'file-kept b',
      // The same content is stored once.
      'file-kept a',
    ]);
  });

  it('DU-23: if the folder can’t be synced, the file must not be changed, and nothing is recorded', async () => {
    const { backups, notes, write } = await setStage(true);
    const reason = await backups.backUp([await write('a', 'one')], BY);
    expect(reason).toContain('was not changed: its current content could not be saved for a rewind (bad disk)');
    expect(notes).toEqual(['stored one']);
  });
});

describe('a rewind', () => {
  /** A file whose change was recorded as begun; `left`: what it then held, if that was recorded. */
  async function changed(left: string | undefined) {
    const { backups, host, layout, write } = await setStage();
    const path = await write('a', 'before');
    const stateOf = async (at: string) => (await readPath(host.files, at))?.state;
    const before = await stateOf(path);
    await backups.backUp([path], BY);
    await write('a', 'after');
    const expected = left === undefined ? undefined : await stateOf(await write('left', left));
    const target: FileTarget = { path, target: before ?? { sha256: null }, expected };
    const refuse = async () => undefined;
    const rewind = (overwrite: string[] = []) =>
      rewindFiles(host, layout, [target], { overwrite, dryRun: false, refuse });
    return {
      path,
      rewind,
      others: () => changedByOthers(host, layout, [target], refuse),
      read: () => readFile(path, 'utf8'),
    };
  }

  it('DU-23: without a record of what we left, a file may be anybody’s: it is asked about, not overwritten', async () => {
    const { path, rewind, others, read } = await changed(undefined);
    expect(await others()).toEqual([path]);
    expect(await rewind()).toMatchObject({
      files: [],
      left: [{ path, reason: expect.stringContaining('changed it') }],
    });
    expect(await read()).toBe('after');
    expect(await rewind([path])).toMatchObject({ files: [{ path }], left: [] });
    expect(await read()).toBe('before');
  });

  it('DU-23: what we left goes back unasked; what somebody wrote over it does not', async () => {
    const ours = await changed('after');
    expect(await ours.others()).toEqual([]);
    expect(await ours.rewind()).toMatchObject({ files: [{ path: ours.path }], left: [] });
    expect(await ours.read()).toBe('before');
    const theirs = await changed('something else');
    expect(await theirs.others()).toEqual([theirs.path]);
    expect(await theirs.rewind()).toMatchObject({ files: [], left: [{ path: theirs.path }] });
    expect(await theirs.read()).toBe('after');
  });
});

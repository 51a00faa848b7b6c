/** The name of a file is part of what must survive: folders are synced, and a file that was taken away is noticed. */

import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sessionLayout } from '../../../../src/config/paths.js';
import { errorCode } from '../../../../src/host/files.js';
import type { Host } from '../../../../src/host/host.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { createFileBackups } from '../../../../src/session/files/file-backups.js';
import { lockSession } from '../../../../src/session/store/session-lock.js';
import { TranscriptError } from '../../../../src/session/transcript/append-port.js';
import { repairTail } from '../../../../src/session/transcript/read-transcript.js';
import { Transcript } from '../../../../src/session/transcript/transcript.js';
import { scratchFolder } from '../../../support/scratch.js';
import { admitted, turn } from '../sample-events.js';

const real = nodeHost('/');

/** Records what is created, synced and written, in order. */
function noting(notes: string[], fail: (folder: string) => boolean = () => false): Host {
  const { files } = real;
  return {
    ...real,
    files: {
      ...files,
      makeFolder: async (path, mode) => {
        const made = await files.makeFolder(path, mode);
        notes.push(...made.map((folder) => `made ${basename(folder)}`));
        return made;
      },
      syncFolder: async (path) => {
        if (fail(path)) throw Object.assign(new Error('bad disk'), { code: 'EIO' });
        await files.syncFolder(path);
        notes.push(`synced ${basename(path)}`);
      },
      replace: async (path, content, mode) => {
        await files.replace(path, content, mode);
        notes.push('replaced');
      },
      openAppend: async (path) => {
        const handle = await files.openAppend(path);
        notes.push(`opened ${basename(path)}`);
        const cut = async (length: number) => {
          notes.push('cut');
          await handle.cut(length);
        };
        return { ...handle, cut };
      },
    },
  };
}

describe('folders are synced', () => {
  it('DU-3: that of a new transcript, and those made for it, before its first synced record resolves', async () => {
    const home = await scratchFolder();
    const path = join(home, 'projects', 'p', 's.jsonl');
    const notes: string[] = [];
    const transcript = await Transcript.open({ host: noting(notes), path, onSuspect: () => {} });
    expect(notes).toEqual(['made projects', 'made p', `synced ${basename(home)}`, 'synced projects', 'opened s.jsonl']);
    await transcript.append(turn(), 1);
    expect(notes).toHaveLength(5);
    await transcript.append(admitted('words'), 2);
    expect(notes.slice(5)).toEqual(['synced p']);
    // Once is enough.
    await transcript.append(admitted('more'), 3);
    expect(notes).toHaveLength(6);
    await transcript.close();
  });

  it('DU-3: one that can’t be synced makes the file suspect, and the record goes to a segment', async () => {
    const path = join(await scratchFolder(), 's.jsonl');
    const notes: string[] = [];
    const told: string[] = [];
    let faults = 1;
    const host = noting(notes, () => faults-- > 0);
    const transcript = await Transcript.open({ host, path, onSuspect: (line) => told.push(line) });
    expect(await transcript.append(admitted('words'), 1)).toBe(1);
    expect(told).toEqual([expect.stringContaining('bad disk')]);
    expect(notes.at(-1)).toBe(`synced ${basename(dirname(path))}`);
    expect((await readdir(dirname(path))).sort()).toEqual(['s.1.jsonl', 's.jsonl']);
    await transcript.close();
  });

  it('DU-3: that of the lock’s project, of saved content, and of a tail that is set aside before it is cut off', async () => {
    const home = await scratchFolder();
    const layout = sessionLayout(home, 'p', 's');
    const notes: string[] = [];
    const host = noting(notes);
    const locked = await lockSession(host, layout);
    expect(notes.slice(0, 4)).toEqual(['made projects', 'made p', `synced ${basename(home)}`, 'synced projects']);
    if (locked.ok) await locked.lock.release();

    await real.files.create(join(home, 'file'), 'content');
    notes.length = 0;
    await createFileBackups(host, layout, () => undefined).backUp([join(home, 'file')], { agent: 'main', call: 'c' });
    expect(notes).toEqual(['made s', 'made files', 'synced p', 'synced s', 'replaced', 'synced files']);

    await real.files.create(layout.file, 'half a record');
    notes.length = 0;
    expect(await repairTail(host, layout.file)).toMatchObject({ ok: true });
    expect(notes.indexOf('synced p')).toBeGreaterThan(notes.indexOf('opened s.jsonl.tail-1'));
    expect(notes.indexOf('cut')).toBeGreaterThan(notes.indexOf('synced p'));
  });
});

describe('a transcript that is taken away while it is open', () => {
  async function setStage(host: Host = real) {
    const home = join(await scratchFolder(), 'home');
    const path = join(home, 'projects', 'p', 's.jsonl');
    const transcript = await Transcript.open({ host, path, onSuspect: () => {} });
    await transcript.append(admitted('one'), 1);
    return { home, path, transcript };
  }

  it('DU-3: with its home, alone, or moved: the next record that must be safe is refused with the reason', async () => {
    for (const take of [
      ({ home }: { home: string }) => rm(home, { recursive: true }),
      ({ path }: { path: string }) => rm(path),
      ({ home }: { home: string }) => rename(home, `${home}-elsewhere`),
    ]) {
      const stage = await setStage();
      await take(stage);
      const refused = await stage.transcript.append(admitted('two'), 2).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(TranscriptError);
      expect(refused).toMatchObject({
        message: expect.stringContaining('deleted or moved away while the session was open'),
        advice: 'restore it, or start a new session',
      });
      await stage.transcript.close().catch(() => {});
    }
  });

  it('DU-3: restored, it continues', async () => {
    const { home, transcript } = await setStage();
    await rename(home, `${home}-elsewhere`);
    await expect(transcript.append(admitted('two'), 2)).rejects.toThrow('moved away');
    await rename(`${home}-elsewhere`, home);
    expect(await transcript.append(admitted('two'), 2)).toBe(2);
    await transcript.close();
  });

  it('DU-3: on a file system that changes the identity of files, or can’t tell, nothing is reported as gone', async () => {
    let looks = 0;
    const lstat: Host['files']['sync']['lstat'] = (path) => {
      looks += 1;
      if (looks % 3 === 0) throw Object.assign(new Error('no'), { code: 'EIO' });
      const found = real.files.sync.lstat(path);
      return found && { ...found, identity: String(looks) };
    };
    const sync = { ...real.files.sync, lstat };
    const { transcript } = await setStage({ ...real, files: { ...real.files, sync } });
    for (let seq = 2; seq < 8; seq += 1) expect(await transcript.append(admitted('words'), seq)).toBe(seq);
    expect(looks).toBe(7);
    await transcript.close();
  });
});

describe('making a folder', () => {
  it('DU-3: returns the created folders; if it can’t create any, it fails with a reason', async () => {
    const home = await scratchFolder();
    const deep = join(home, 'a', 'b', 'c');
    expect(await real.files.makeFolder(deep)).toEqual([join(home, 'a'), join(home, 'a', 'b'), deep]);
    expect(await real.files.makeFolder(deep)).toEqual([]);
    await real.files.create(join(home, 'file'), '');
    const codes = [];
    for (const path of ['/proc/none/deeper', join(home, 'file'), join(home, 'file', 'x'), '/dev/null/x']) {
      codes.push(errorCode(await real.files.makeFolder(path).catch((error: unknown) => error)));
    }
    expect(codes).toEqual(['ENOENT', 'EEXIST', 'ENOTDIR', 'ENOTDIR']);
    const many = await Promise.all(Array.from({ length: 20 }, () => real.files.makeFolder(join(home, 'x', 'y', 'z'))));
    expect(new Set(many.flat())).toEqual(new Set([join(home, 'x'), join(home, 'x', 'y'), join(home, 'x', 'y', 'z')]));
  });
});

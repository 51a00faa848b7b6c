/** `Looker` on the real file system. */

import { lstatSync, opendirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { type Entry, errorCode, type SyncFiles } from './files.js';
import { toEntry, toStat } from './node-stat.js';

export const nodeSyncFiles: SyncFiles = {
  lstat: (path) => {
    // Most absences are told without the cost of an error.
    const stats = present(() => lstatSync(path, { throwIfNoEntry: false }));
    return stats === undefined ? undefined : toStat(stats);
  },
  realpath: (path) => present(() => realpathSync.native(path)),
  readLink: (path) => readlinkSync(path),
  list,
  read: (path) => readFileSync(path),
};

function list(folder: string, most: number): readonly Entry[] {
  const open = opendirSync(folder, { bufferSize: 256 });
  try {
    const entries: Entry[] = [];
    while (entries.length < most) {
      const entry = open.readSync();
      if (entry === null) break;
      entries.push(toEntry(entry));
    }
    return entries;
  } finally {
    open.closeSync();
  }
}

function present<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

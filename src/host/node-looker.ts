/** `Looker` on the real file system. */

import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { errorCode } from './files.js';
import type { Looker } from './looker.js';
import { toEntry, toStat } from './node-stat.js';

export const nodeLooker: Looker = {
  lstat: (path) => {
    // Most absences are told without the cost of an error.
    const stats = present(() => lstatSync(path, { throwIfNoEntry: false }));
    return stats === undefined ? undefined : toStat(stats);
  },
  realpath: (path) => present(() => realpathSync.native(path)),
  readLink: (path) => readlinkSync(path),
  list: (folder) => readdirSync(folder, { withFileTypes: true }).map(toEntry),
  read: (path) => readFileSync(path),
};

function present<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

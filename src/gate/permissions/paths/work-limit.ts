/**
 * Limits the work of one decision. A model's input may be long, and nothing else runs while it is judged. Beyond the
 * limit, a call is not plain, and rules that deny files apply to all of it.
 */

import type { SyncFiles } from '../../../host/files.js';

/** One unit is one file lookup or one pattern comparison: some microseconds. */
const MOST_UNITS = 20_000;

export class WorkLimit {
  #left = MOST_UNITS;

  spend(units: number): void {
    this.#left -= units;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }
}

/** The same files, with every lookup counted. */
export function countedFiles(files: SyncFiles, limit: WorkLimit): SyncFiles {
  const pay = <R>(units: number, lookup: () => R): R => {
    limit.spend(units);
    return lookup();
  };
  return {
    lstat: (path) => pay(1, () => files.lstat(path)),
    realpath: (path) => pay(2, () => files.realpath(path)),
    readLink: (path) => pay(1, () => files.readLink(path)),
    list: (folder, most) => pay(100, () => files.list(folder, most)),
    read: (path) => pay(10, () => files.read(path)),
  };
}

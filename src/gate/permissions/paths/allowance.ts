/**
 * How much one decision may look at. What a model gives may be long, and nothing else runs while it is looked at: beyond
 * this a call is not judged plain, and rules that deny files hold for all of it.
 */

import type { SyncFiles } from '../../../host/files.js';

/** A unit is one look at a file or one comparison with a pattern: some microseconds. */
const MOST_UNITS = 20_000;

export class Allowance {
  #left = MOST_UNITS;

  spend(units: number): void {
    this.#left -= units;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }
}

/** The same files, each look paid for. */
export function paidLooker(files: SyncFiles, allowance: Allowance): SyncFiles {
  const pay = <R>(units: number, look: () => R): R => {
    allowance.spend(units);
    return look();
  };
  return {
    lstat: (path) => pay(1, () => files.lstat(path)),
    realpath: (path) => pay(2, () => files.realpath(path)),
    readLink: (path) => pay(1, () => files.readLink(path)),
    list: (folder, most) => pay(100, () => files.list(folder, most)),
    read: (path) => pay(10, () => files.read(path)),
  };
}

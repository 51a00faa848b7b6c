/**
 * A look at files without waiting: for decisions that ask about many names at once, where the way through the thread pool
 * costs ten times the look itself. Whoever uses it bounds how often: nothing else runs meanwhile. It changes nothing.
 */

import type { Entry, FileStat } from './files.js';

export interface Looker {
  /** Does not follow a link in the last place. Undefined when there is nothing (ENOENT, ENOTDIR); other errors throw. */
  lstat(path: string): FileStat | undefined;
  /** Every link resolved. Undefined when something on the way is missing; other errors throw. */
  realpath(path: string): string | undefined;
  readLink(path: string): string;
  list(folder: string): readonly Entry[];
  /** The whole file. Only for small ones that were looked at before. */
  read(path: string): Buffer;
}

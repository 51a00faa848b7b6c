/** A file that Read has looked at and may read. */

import type { FileStat } from '../../host/files.js';

export type ReadTarget = {
  readonly shown: string;
  readonly real: string;
  readonly stat: FileStat;
};

/** Which lines of it. */
export type WantedLines = { readonly offset?: number | undefined; readonly limit?: number | undefined };

/** What looking at one program and its arguments found. */

import type { Problem } from './read-options.js';

export type PathUse = {
  /** The word that names it. */
  readonly at: number;
  readonly path: string;
  /** `contents`: everything below a folder is read; `write`: it is created, changed or removed; `enter`: the shell goes there. */
  readonly use: 'read' | 'contents' | 'write' | 'enter';
  /** Names that start with a dot are left out. */
  readonly skipsHidden?: boolean;
};

export type Finding = {
  /** Proven to do nothing but read, as far as `problems` is empty. */
  readonly reads: boolean;
  readonly problems: readonly Problem[];
  readonly paths: readonly PathUse[];
  /** Where the wrapped command starts, when running it is all this one does. */
  readonly inner?: number;
  /** What `reads` is for: a program that only makes files and folders, which edit modes may let through. */
  readonly edits?: boolean;
  /** Runs the repo's own programs when the repo has any: only where the folder is trusted or the repo proven clean. */
  readonly repo?: boolean;
  /** Starts a tool that the project may configure: only in a trusted folder. */
  readonly project?: boolean;
};

/** The result of examining one program and its arguments. */

import type { Problem } from './read-options.js';

export type PathUse = {
  /** Index of the word that names it. */
  readonly at: number;
  readonly path: string;
  /**
   * `contents`: reads everything below a folder; `write`: creates, changes or removes; `enter`: moves the shell there;
   * `unknown`: a word of a program that is not known to only read, which may be a path it writes to.
   */
  readonly use: 'read' | 'contents' | 'write' | 'enter' | 'unknown';
  /** Names that start with a dot are skipped. */
  readonly skipsHidden?: boolean;
  /** Not for folders: links inside would be followed. */
  readonly filesOnly?: true;
};

export type Finding = {
  /** Proven to only read, provided that `problems` is empty. */
  readonly reads: boolean;
  readonly problems: readonly Problem[];
  readonly paths: readonly PathUse[];
  /** Why it is not proven to only read, if it could have been: for the reason of a question. */
  readonly unproven?: readonly Problem[];
  /** The index of the wrapped command, if running it is all this one does. */
  readonly inner?: number;
  /** Like `reads`, for a program that only creates files and folders; edit modes may allow it. */
  readonly edits?: boolean;
  /** Runs the repository's own programs, if any: needs a trusted folder or a repository proven clean. */
  readonly repo?: boolean;
  /** The folder whose repository that is, if it is not the shell's: `git -C folder`. */
  readonly folder?: { readonly at: number; readonly path: string };
  /** Prints contents of files stored in git, including those only in its history. */
  readonly printsHistory?: true;
  /** Starts a tool that the project may configure: needs a trusted folder. */
  readonly project?: boolean;
  /** Proven only in the read-only sandbox, and in a trusted folder: outside, the project may make it run something. */
  readonly confinedOnly?: true;
};

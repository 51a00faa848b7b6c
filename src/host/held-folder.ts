/**
 * A folder held open: whatever happens to its path, everything done through it happens in this folder. So a check of a
 * path can't be undone by a link that takes the folder's place afterwards (GT-28).
 *
 * Names are single components. No call follows a link in the last name, and none waits for a pipe or a device.
 */

import type { FileStat, ReadHandle } from './files.js';

export interface HeldFolder {
  /** Its real path when it was opened. */
  readonly path: string;
  /** Leads another process to it, for as long as it is held. */
  readonly processPath: string;
  lstat(name: string): Promise<FileStat | undefined>;
  /** Throws ELOOP for a link. The caller checks the kind of what was opened. */
  openRead(name: string): Promise<HeldFile>;
  /**
   * Replaces or creates a file atomically, by a temporary file in this folder. Keeps the mode of an existing file;
   * `mode` is for a new one (default 0600). With `was`, throws ESTALE if the name holds something else by now.
   * Also removes temporary files that a killed process left here. Returns the new file's state.
   */
  replace(name: string, content: string | Uint8Array, options?: ReplaceOptions): Promise<FileStat>;
  /** Removes a file or a link. Does nothing if it does not exist. */
  remove(name: string): Promise<void>;
  /** Holds a folder in this one, created if missing. Throws ENOTDIR for anything but a folder, also for a link. */
  makeFolder(name: string): Promise<HeldFolder>;
  close(): Promise<void>;
}

export type ReplaceOptions = {
  readonly mode?: number;
  /** What the name held when it was checked. */
  readonly was?: FileStat | 'nothing';
};

export interface HeldFile extends ReadHandle {
  /** Leads another process to this very file, for as long as it is open. */
  readonly processPath: string;
}

/** A name that is (no longer) what was checked. */
export function staleError(path: string): Error {
  return Object.assign(new Error(`${path} was replaced while it was being opened`), { code: 'ESTALE' });
}

export function isSameFile(before: FileStat | undefined, after: FileStat | undefined): boolean {
  return before?.identity === after?.identity && before?.size === after?.size && before?.mtimeMs === after?.mtimeMs;
}

/** The file system port, limited to the calls we need. Errors are Node's own (see `code`). */

export interface Files {
  /** Follows links. Undefined if the file does not exist (ENOENT, ENOTDIR); other errors throw. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Does not follow a link in the last component. */
  lstat(path: string): Promise<FileStat | undefined>;
  /** Resolves every link. Throws if a part of the path is missing. */
  realpath(path: string): Promise<string>;
  /** Returns at most `most` entries, all if omitted. */
  list(folder: string, most?: number): Promise<readonly Entry[]>;
  /**
   * For our own files, or files named by the user: regular ones of at most 512 MiB, and the pipes that a shell makes of
   * `<(command)`. Read a project's files with `readRegularFile`.
   */
  read(path: string): Promise<Buffer>;
  /** Holds a folder open by its real path. Throws ESTALE if the path leads anywhere else by now. */
  holdFolder(realPath: string): Promise<HeldFolder>;
  /** Opens a regular file to read parts of it. Follows links. Refuses anything else at once. */
  openRead(path: string): Promise<ReadHandle>;
  /** Opens a file for appending; creates it with mode 0600 if missing. Refuses a link in the last component (ELOOP). */
  openAppend(path: string): Promise<AppendHandle>;
  /** Writes a new file, with mode 0600 by default. Throws if it exists (EEXIST). */
  create(path: string, content: string | Uint8Array, mode?: number): Promise<void>;
  /**
   * Replaces or creates a file atomically: a reader sees the old or the new content, never a part. Writes a temporary
   * file next to it, syncs and renames it. Keeps the mode of an existing file; `mode` is for a new one (default 0600).
   * A link in the last component is replaced, not followed: resolve the path first to follow it.
   */
  replace(path: string, content: string | Uint8Array, mode?: number): Promise<void>;
  /**
   * Creates a folder and its missing parents, with `mode` (default: 0777 less the umask). Returns those it created, the
   * outermost first.
   */
  makeFolder(path: string, mode?: number): Promise<readonly string[]>;
  /** Flushes the names in a folder to disk, so that a file made there survives a power loss under its name. */
  syncFolder(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Creates a hard link. Throws if `path` exists (EEXIST). Some file systems don't support it (EPERM, ENOTSUP …). */
  link(existing: string, path: string): Promise<void>;
  /** Creates a symbolic link to `target`. Throws if `path` exists (EEXIST). */
  makeLink(target: string, path: string): Promise<void>;
  /** Removes a file or a link. Does nothing if it does not exist. */
  remove(path: string): Promise<void>;
  /** Removes an empty folder. */
  removeFolder(path: string): Promise<void>;
  readLink(path: string): Promise<string>;
  touch(path: string, timeMs: number): Promise<void>;
  /** Synchronous reads. */
  readonly sync: SyncFiles;
}

/**
 * Synchronous, read-only file access, for decisions about many names at once: there, the thread pool costs ten times
 * the call itself. It blocks the event loop, so the caller must limit how often it is used.
 */
export interface SyncFiles {
  /** Does not follow a link in the last component. Undefined if missing (ENOENT, ENOTDIR); other errors throw. */
  lstat(path: string): FileStat | undefined;
  /** Resolves every link. Undefined if a part of the path is missing; other errors throw. */
  realpath(path: string): string | undefined;
  readLink(path: string): string;
  /** Returns at most `most` entries: a folder may contain millions. */
  list(folder: string, most: number): readonly Entry[];
  /** Reads the whole file. Only for small files whose size was checked before. */
  read(path: string): Buffer;
}

export type FileKind = 'file' | 'folder' | 'link' | 'other';

export type Entry = { readonly name: string; readonly kind: FileKind };

export type FileStat = {
  readonly kind: FileKind;
  readonly size: number;
  readonly mtimeMs: number;
  /** Last change of content, name or permissions; unlike `mtimeMs`, programs can't set it. */
  readonly ctimeMs: number;
  readonly mode: number;
  /** The ids of its user and its group. */
  readonly owner: { readonly user: number; readonly group: number };
  readonly links: number;
  /** Device and inode: equal for two names of the same file. */
  readonly identity: string;
};

export interface ReadHandle {
  /** Up to `length` bytes from `position`; fewer at the end of the file. */
  read(position: number, length: number): Promise<Buffer>;
  stat(): Promise<FileStat>;
  close(): Promise<void>;
}

/**
 * A folder held open: even if its path changes, every operation happens in this folder. So a check of a path can't be
 * invalidated by a link that replaces the folder afterwards (GT-28). Names are single components. No call follows a link
 * in the last name, and none waits for a pipe or a device.
 */
export interface HeldFolder {
  /** Its real path when it was opened. */
  readonly path: string;
  /** A path by which another process reaches it, as long as it is held. */
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
  /** Holds a folder in this one. Throws ENOTDIR for anything but a folder, also for a link. */
  enter(name: string): Promise<HeldFolder>;
  /**
   * Holds a folder in this one, created if missing, then with just this `mode` (default: 0777 less the umask). Throws
   * ENOTDIR for anything but a folder, also for a link.
   */
  makeFolder(name: string, mode?: number): Promise<HeldFolder>;
  /** Returns at most `most` entries. */
  list(most: number): Promise<readonly Entry[]>;
  /** The target of a link in this folder. */
  readLink(name: string): Promise<Buffer>;
  /** Creates a link in this folder. Throws if the name exists (EEXIST). */
  makeLink(target: Buffer, name: string): Promise<void>;
  /** Sets the mode of this folder. */
  setMode(mode: number): Promise<void>;
  /** Renames a file or folder of this folder to `toName` in `to`, which is on the same file system. Replaces a file. */
  move(name: string, to: HeldFolder, toName: string): Promise<void>;
  /** Removes an empty folder in this one. */
  removeFolder(name: string): Promise<void>;
  /** Flushes the names in it to disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export type ReplaceOptions = {
  readonly mode?: number;
  /** The file gets exactly this mode, regardless of its previous mode and the umask. */
  readonly exact?: boolean;
  /** The state of the name when it was checked. */
  readonly was?: FileStat | 'nothing';
};

export interface HeldFile extends ReadHandle {
  /** A path by which another process reaches this very file, as long as it is open. */
  readonly processPath: string;
}

export interface AppendHandle {
  /** One write call. Returns the number of bytes written, which may be fewer than given. */
  write(bytes: Uint8Array): Promise<number>;
  /** Flushes written data to disk, so that it survives a power loss. */
  sync(): Promise<void>;
  /** Truncates the file to `length` bytes. */
  cut(length: number): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

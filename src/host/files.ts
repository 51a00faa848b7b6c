/** Files, as few calls as the rest of the program needs. Errors are Node's own (`code` says which). */

export interface Files {
  /** Follows links. Undefined when there is nothing (ENOENT, ENOTDIR); other errors throw. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Does not follow a link in the last place. */
  lstat(path: string): Promise<FileStat | undefined>;
  /** Every link resolved. Throws when something on the way is missing. */
  realpath(path: string): Promise<string>;
  list(folder: string): Promise<readonly Entry[]>;
  read(path: string): Promise<Buffer>;
  /** Opens for reading parts of a file; links are followed. */
  openRead(path: string): Promise<ReadHandle>;
  /** Opens a file to append to, made with mode 0600 if missing; a link in the last place is refused (ELOOP). */
  openAppend(path: string): Promise<AppendHandle>;
  /** Writes a new file that must not exist yet (EEXIST), mode 0600 unless given. */
  create(path: string, content: string | Uint8Array, mode?: number): Promise<void>;
  /**
   * Replaces or makes a file so that a reader sees the old or the new content, never a part: temporary file beside it,
   * synced, renamed. Keeps the mode of a file that exists; `mode` is for a new one (0600 if omitted).
   * A link in the last place is replaced, not followed: resolve the path first if following is meant.
   */
  replace(path: string, content: string | Uint8Array, mode?: number): Promise<void>;
  /** Makes a folder and its missing parents. New ones get `mode` (0777 less the umask if omitted). */
  makeFolder(path: string, mode?: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name, which must not exist yet (EEXIST). Some file systems can't (EPERM, ENOTSUP …). */
  link(existing: string, path: string): Promise<void>;
  /** Removes a file or a link; nothing there is no error. */
  remove(path: string): Promise<void>;
  /** Removes an empty folder. */
  removeFolder(path: string): Promise<void>;
  readLink(path: string): Promise<string>;
  touch(path: string, timeMs: number): Promise<void>;
  /** Looks without waiting. */
  readonly sync: SyncFiles;
}

/**
 * A look at files without waiting: for decisions that ask about many names at once, where the way through the thread pool
 * costs ten times the look itself. Whoever uses it bounds how often: nothing else runs meanwhile. It changes nothing.
 */
export interface SyncFiles {
  /** Does not follow a link in the last place. Undefined when there is nothing (ENOENT, ENOTDIR); other errors throw. */
  lstat(path: string): FileStat | undefined;
  /** Every link resolved. Undefined when something on the way is missing; other errors throw. */
  realpath(path: string): string | undefined;
  readLink(path: string): string;
  /** At most `most` entries: a folder may hold millions. */
  list(folder: string, most: number): readonly Entry[];
  /** The whole file. Only for small ones that were looked at before. */
  read(path: string): Buffer;
}

export type FileKind = 'file' | 'folder' | 'link' | 'other';

export type Entry = { readonly name: string; readonly kind: FileKind };

export type FileStat = {
  readonly kind: FileKind;
  readonly size: number;
  readonly mtimeMs: number;
  readonly mode: number;
  readonly links: number;
  /** Device and inode: the same for two names of one file. */
  readonly identity: string;
};

export interface ReadHandle {
  /** Up to `length` bytes from `position`; fewer at the end of the file. */
  read(position: number, length: number): Promise<Buffer>;
  stat(): Promise<FileStat>;
  close(): Promise<void>;
}

export interface AppendHandle {
  /** One write call. Answers how many bytes were taken, which may be fewer than given. */
  write(bytes: Uint8Array): Promise<number>;
  /** Makes what was written survive a loss of power. */
  sync(): Promise<void>;
  /** Cuts the file to `length` bytes. */
  cut(length: number): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

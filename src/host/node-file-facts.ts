/** Converts Node's file information to our types. */

import { constants, type Dirent, promises as fs, fstatSync, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { type Entry, errorCode, type FileKind, type FileStat, type ReadHandle } from './files.js';

export async function ignoreMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

export function toStat(stats: Stats): FileStat {
  return {
    kind: kindOf(stats),
    size: stats.size,
    mtimeMs: stats.mtimeMs,
    ctimeMs: stats.ctimeMs,
    mode: stats.mode,
    owner: { user: stats.uid, group: stats.gid },
    links: stats.nlink,
    identity: `${stats.dev}:${stats.ino}`,
  };
}

export function toEntry(entry: Dirent): Entry {
  return { name: entry.name, kind: kindOf(entry) };
}

function kindOf(what: Stats | Dirent): FileKind {
  if (what.isFile()) return 'file';
  if (what.isDirectory()) return 'folder';
  if (what.isSymbolicLink()) return 'link';
  return 'other';
}

export function readHandle(handle: FileHandle): ReadHandle {
  return {
    read: async (position, length) => {
      const buffer = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
    stat: async () => toStat(fstatSync(handle.fd)),
    close: () => handle.close(),
  };
}

/** The error for a name that no longer refers to the file that was checked. */
export function staleError(path: string): Error {
  return Object.assign(new Error(`${path} was replaced while it was being opened`), { code: 'ESTALE' });
}

export function isSameFile(before: FileStat | undefined, after: FileStat | undefined): boolean {
  return before?.identity === after?.identity && before?.size === after?.size && before?.mtimeMs === after?.mtimeMs;
}

export async function listPath(folder: string, most = Number.POSITIVE_INFINITY): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of await fs.opendir(folder, { bufferSize: 256 })) {
    if (entries.length >= most) break;
    entries.push(toEntry(entry));
  }
  return entries;
}

/** Flushes the names in a folder to disk. */
export async function syncPath(folder: string): Promise<void> {
  const handle = await fs.open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } catch (error) {
    // Some file systems don't support this, and there is nothing to flush.
    if (!['EINVAL', 'ENOTSUP', 'EOPNOTSUPP'].includes(errorCode(error) ?? '')) throw error;
  } finally {
    await handle.close();
  }
}

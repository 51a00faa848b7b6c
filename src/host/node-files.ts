/** Implements `Files` on the real file system. */

import { randomUUID } from 'node:crypto';
import {
  constants,
  type Dirent,
  promises as fs,
  lstatSync,
  opendirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  type AppendHandle,
  type Entry,
  errorCode,
  type FileKind,
  type FileStat,
  type Files,
  type ReadHandle,
  type SyncFiles,
} from './files.js';

const nodeSyncFiles: SyncFiles = {
  lstat: (path) => {
    // Avoids the cost of an error for most missing files.
    const stats = present(() => lstatSync(path, { throwIfNoEntry: false }));
    return stats === undefined ? undefined : toStat(stats);
  },
  realpath: (path) => present(() => realpathSync.native(path)),
  readLink: (path) => readlinkSync(path),
  list,
  read: (path) => readFileSync(path),
};

export const nodeFiles: Files = {
  stat: (path) => absent(fs.stat(path).then(toStat)),
  lstat: (path) => absent(fs.lstat(path).then(toStat)),
  realpath: (path) => fs.realpath(path),
  list: async (folder) => (await fs.readdir(folder, { withFileTypes: true })).map(toEntry),
  read: (path) => fs.readFile(path),
  openRead,
  openAppend,
  create: async (path, content, mode = 0o600) => {
    await fs.writeFile(path, content, { flag: 'wx', mode });
  },
  replace,
  makeFolder: async (path, mode) => {
    await fs.mkdir(path, { recursive: true, ...(mode === undefined ? {} : { mode }) });
  },
  rename: (from, to) => fs.rename(from, to),
  link: (existing, path) => fs.link(existing, path),
  remove: async (path) => {
    await absent(fs.unlink(path));
  },
  removeFolder: (path) => fs.rmdir(path),
  readLink: (path) => fs.readlink(path),
  touch: (path, timeMs) => fs.utimes(path, timeMs / 1000, timeMs / 1000),
  sync: nodeSyncFiles,
};

async function openRead(path: string): Promise<ReadHandle> {
  const handle = await fs.open(path, 'r');
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
    stat: async () => toStat(await handle.stat()),
    close: () => handle.close(),
  };
}

async function openAppend(path: string): Promise<AppendHandle> {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const handle = await fs.open(path, flags, 0o600);
  return {
    write: async (bytes) => (await handle.write(bytes)).bytesWritten,
    sync: () => handle.datasync(),
    cut: (length) => handle.truncate(length),
    size: async () => (await handle.stat()).size,
    close: () => handle.close(),
  };
}

async function replace(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const existing = await nodeFiles.stat(path);
  const kept = existing?.kind === 'file' ? existing.mode & 0o7777 : mode;
  const temporary = join(dirname(path), `.${basename(path).slice(0, 80)}.${randomUUID()}.tmp`);
  try {
    const handle = await fs.open(temporary, 'wx', kept);
    try {
      await handle.writeFile(content);
      // The umask may have reduced the requested mode.
      if (existing?.kind === 'file') await handle.chmod(kept);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.rename(temporary, path);
  } catch (error) {
    await absent(fs.unlink(temporary));
    throw error;
  }
}

async function absent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function toStat(stats: Stats): FileStat {
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

function toEntry(entry: Dirent): Entry {
  return { name: entry.name, kind: kindOf(entry) };
}

function kindOf(what: Stats | Dirent): FileKind {
  if (what.isFile()) return 'file';
  if (what.isDirectory()) return 'folder';
  if (what.isSymbolicLink()) return 'link';
  return 'other';
}

function list(folder: string, most: number): readonly Entry[] {
  const open = opendirSync(folder, { bufferSize: 256 });
  try {
    const entries: Entry[] = [];
    while (entries.length < most) {
      const entry = open.readSync();
      if (entry === null) break;
      entries.push(toEntry(entry));
    }
    return entries;
  } finally {
    open.closeSync();
  }
}

function present<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** `Files` on the real file system. */

import { constants, promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { v7 as uuid } from 'uuid';
import type { AppendHandle, Files, ReadHandle } from './files.js';
import { errorCode } from './files.js';
import { toEntry, toStat } from './node-stat.js';
import { nodeSyncFiles } from './node-sync-files.js';

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
  const temporary = join(dirname(path), `.${basename(path).slice(0, 80)}.${uuid()}.tmp`);
  try {
    const handle = await fs.open(temporary, 'wx', kept);
    try {
      await handle.writeFile(content);
      // The umask may have narrowed what was asked for.
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

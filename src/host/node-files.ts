/** Implements `Files` on the real file system. */

import {
  closeSync,
  constants,
  createReadStream,
  promises as fs,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readFileSync,
  read as readFrom,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { type AppendHandle, type Entry, errorCode, type Files, type SyncFiles } from './files.js';
import { ignoreMissing, isMissing, listPath, readHandle, syncPath, toEntry, toStat } from './node-file-facts.js';
import { heldFolder } from './node-held-folder.js';
import { holdPath } from './node-hold.js';

const nodeSyncFiles: SyncFiles = {
  lstat: (path) => {
    // Avoids the cost of an error for most missing files.
    const stats = present(() => lstatSync(path, { throwIfNoEntry: false }));
    return stats === undefined ? undefined : toStat(stats);
  },
  realpath: (path) => present(() => realpathSync.native(path)),
  readLink: (path) => readlinkSync(path),
  list: listSync,
  read: readSync,
};

/** Single calls are synchronous: handing one to another thread costs ten times as much, and a start makes dozens. */
export const nodeFiles: Files = {
  stat: async (path) => {
    const stats = present(() => statSync(path, { throwIfNoEntry: false }));
    return stats === undefined ? undefined : toStat(stats);
  },
  lstat: async (path) => nodeSyncFiles.lstat(path),
  realpath: async (path) => realpathSync.native(path),
  list: listPath,
  read,
  holdFolder: async (path) => heldFolder(await holdPath(path)),
  openRead,
  openAppend,
  create: async (path, content, mode = 0o600) => {
    await fs.writeFile(path, content, { flag: 'wx', mode });
  },
  replace,
  makeFolder,
  syncFolder: syncPath,
  rename: (from, to) => fs.rename(from, to),
  link: (existing, path) => fs.link(existing, path),
  makeLink: (target, path) => fs.symlink(target, path),
  remove: async (path) => {
    await ignoreMissing(fs.unlink(path));
  },
  removeFolder: (path) => fs.rmdir(path),
  readLink: async (path) => readlinkSync(path),
  touch: (path, timeMs) => fs.utimes(path, timeMs / 1000, timeMs / 1000),
  sync: nodeSyncFiles,
};

/** Written by hand: Node's `recursive` never ends where the system reports a refused folder as missing, as in `/proc`. */
async function makeFolder(path: string, mode?: number): Promise<readonly string[]> {
  try {
    await fs.mkdir(path, mode === undefined ? {} : { mode });
    return [path];
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' && dirname(path) !== path) {
      const made = await makeFolder(dirname(path), mode);
      // Only one more attempt: if the parent exists now, the folder itself can't be created.
      await fs.mkdir(path, mode === undefined ? {} : { mode }).catch(unlessFolder(path));
      return [...made, path];
    }
    await unlessFolder(path)(error);
    return [];
  }
}

/** Ignores the error if another process was faster. */
function unlessFolder(path: string): (error: unknown) => Promise<void> {
  return async (error) => {
    const found = await fs.stat(path).catch(() => undefined);
    if (!found?.isDirectory()) throw error;
  };
}

async function openRead(path: string) {
  const handle = await fs.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = fstatSync(handle.fd);
  if (stats.isFile()) return readHandle(handle);
  await handle.close();
  throw notRegular(stats);
}

/**
 * Writes of up to this size are synchronous: handing them to another thread costs ten times as much, and transcripts
 * consist of such small writes. A sync, which waits for the disk, is never done this way.
 */
const SMALL_BYTES = 16 * 1024;

async function openAppend(path: string): Promise<AppendHandle> {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const handle = await fs.open(path, flags, 0o600);
  return {
    write: async (bytes) =>
      bytes.length <= SMALL_BYTES ? writeSync(handle.fd, bytes) : (await handle.write(bytes)).bytesWritten,
    sync: () => handle.datasync(),
    cut: (length) => handle.truncate(length),
    size: async () => fstatSync(handle.fd).size,
    close: () => handle.close(),
  };
}

async function replace(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const folder = await nodeFiles.holdFolder(await fs.realpath(dirname(path)));
  try {
    await folder.replace(basename(path), content, { mode });
  } finally {
    await folder.close();
  }
}

/** Node's own `readFile` reads in small chunks, each of which waits for this thread. */
const ONE_READ_BYTES = 64 * 1024 * 1024;
const readAt = promisify(readFrom);

/** No file that is read whole is this long; text of more is no string in Node. */
const MOST_BYTES = 512 * 1024 * 1024;

/** Reads a small file synchronously, a large one in another thread. Nothing else is read: it may have no end. */
async function read(path: string): Promise<Buffer> {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (stats.isFIFO() && isOwnDescriptor(path)) return await readPipe(path);
    if (!stats.isFile()) throw notRegular(stats);
    if (stats.size > MOST_BYTES) throw tooLarge();
    if (stats.size <= SMALL_BYTES) return readFileSync(file);
    if (stats.size <= ONE_READ_BYTES) {
      const bytes = Buffer.allocUnsafeSlow(stats.size);
      const { bytesRead } = await readAt(file, bytes, 0, stats.size, 0);
      if (bytesRead === stats.size) return bytes;
    }
  } finally {
    closeSync(file);
  }
  return fs.readFile(path);
}

/** What a shell makes of `<(command)`: somebody writes into it. A pipe with a name may wait for ever. */
function isOwnDescriptor(path: string): boolean {
  return /^\/(?:dev\/fd|proc\/self\/fd)\/\d+$/.test(path);
}

async function readPipe(path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Without the path, which whoever reports it names. */
function notRegular(stats: Stats): Error {
  if (!stats.isDirectory()) return new Error('it is not a regular file');
  return Object.assign(new Error('EISDIR: it is a folder, not a file'), { code: 'EISDIR' });
}

function tooLarge(): Error {
  return new Error(`it is too large (at most ${MOST_BYTES} bytes)`);
}

/** A pipe that replaced the file since it was checked must not block the process. */
function readSync(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw notRegular(stats);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function listSync(folder: string, most: number): readonly Entry[] {
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

function present<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

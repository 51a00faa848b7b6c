/**
 * Holds a folder open. On Linux by a descriptor: `/proc/self/fd/N/name` is a name in that very folder. Elsewhere by its
 * path: device and inode are compared after each open, which leaves an attacker a much smaller window.
 */

import { closeSync, constants, promises as fs, openSync, readlinkSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './files.js';
import { staleError } from './node-file-facts.js';

export type Hold = {
  readonly path: string;
  readonly processPath: string;
  /** The path to use for a name in the folder. */
  at(name: string): string;
  /** Throws ESTALE unless `opened` is what `name` means in the held folder. */
  confirm(name: string, opened: FileHandle): Promise<void>;
  /** Holds a folder in this one; no link is followed. */
  enter(name: string): Promise<Hold>;
  /** A path by which another process reaches an open file. */
  processPathOf(opened: FileHandle, name: string): string;
  close(): Promise<void>;
};

/** `path` is real: throws ESTALE if it leads anywhere else, ENOTDIR if it is not a folder. */
export async function holdPath(path: string): Promise<Hold> {
  return (await holdByDescriptor(path)) ?? holdByName(path);
}

/** Only a reference: needs no permission to list the folder. Node has no name for it. */
const O_PATH = 0o10000000;

/** Undefined without `/proc`. The calls are synchronous: another thread costs ten times as much. */
export async function holdByDescriptor(path: string): Promise<Hold | undefined> {
  if (process.platform !== 'linux') return undefined;
  const folder = openFolder(path);
  try {
    const real = linkOf(folder);
    if (real?.equals(Buffer.from(path)) || (real !== undefined && (await isOtherSpelling(path, real)))) {
      return descriptorHold(path, folder);
    }
  } catch (error) {
    closeSync(folder);
    throw error;
  }
  closeSync(folder);
  return (await hasProc()) ? Promise.reject(staleError(path)) : undefined;
}

/** Undefined without `/proc`. */
function linkOf(folder: number): Buffer | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${folder}`, { encoding: 'buffer' });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Some file systems ignore case and report their own spelling. Without a link in the path it is the same folder. */
async function isOtherSpelling(path: string, real: Buffer): Promise<boolean> {
  const fold = (name: string) => name.normalize('NFC').toLowerCase();
  return fold(real.toString('utf8')) === fold(path) && (await fs.realpath(path)) === path;
}

function descriptorHold(path: string, folder: number): Hold {
  let isOpen = true;
  const at = (name: string) => {
    // After closing, the number may belong to another folder.
    if (!isOpen) throw Object.assign(new Error(`${path} is not held any more`), { code: 'EBADF' });
    return `/proc/self/fd/${folder}/${name}`;
  };
  return {
    path,
    processPath: `/proc/${process.pid}/fd/${folder}`,
    at,
    confirm: async () => {},
    enter: async (name) => descriptorHold(join(path, name), openFolder(at(name))),
    processPathOf: (file) => `/proc/${process.pid}/fd/${file.fd}`,
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      closeSync(folder);
    },
  };
}

function openFolder(path: string): number {
  return openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

async function hasProc(): Promise<boolean> {
  return fs.access('/proc/self/fd').then(
    () => true,
    () => false,
  );
}

export async function holdByName(path: string): Promise<Hold> {
  const first = await fs.lstat(path);
  if (!first.isDirectory()) throw Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR' });
  const isHeld = async () => {
    const now = await fs.lstat(path);
    return now.dev === first.dev && now.ino === first.ino && (await fs.realpath(path)) === path;
  };
  if (!(await isHeld())) throw staleError(path);
  const at = (name: string) => join(path, name);
  return {
    path,
    processPath: path,
    at,
    confirm: async (name, opened) => {
      const [mine, named] = [await opened.stat(), await fs.lstat(at(name))];
      if (mine.dev !== named.dev || mine.ino !== named.ino || !(await isHeld())) throw staleError(at(name));
    },
    enter: (name) => holdByName(at(name)),
    processPathOf: (_opened, name) => at(name),
    close: async () => {},
  };
}

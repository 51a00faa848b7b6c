/**
 * How a folder is held. On Linux by an open descriptor: `/proc/self/fd/N/name` is a name in that very folder. Elsewhere
 * by its path: device and inode are compared after each opening, which leaves an attacker a much smaller window.
 */

import { constants, promises as fs } from 'node:fs';
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
  /** Leads another process to an open file. */
  processPathOf(opened: FileHandle, name: string): string;
  close(): Promise<void>;
};

/** `path` is real: throws ESTALE if it leads anywhere else, ENOTDIR if it is no folder. */
export async function holdPath(path: string): Promise<Hold> {
  return (await holdByDescriptor(path)) ?? holdByName(path);
}

/** Only a reference: needs no permission to list the folder. Node has no name for it. */
const O_PATH = 0o10000000;

/** Undefined where there is no `/proc`. */
export async function holdByDescriptor(path: string): Promise<Hold | undefined> {
  if (process.platform !== 'linux') return undefined;
  const opened = await openFolder(path);
  try {
    const real = await fs.readlink(`/proc/self/fd/${opened.fd}`, { encoding: 'buffer' }).catch(noProc);
    if (real?.equals(Buffer.from(path)) || (real !== undefined && (await isOtherSpelling(path, real)))) {
      return descriptorHold(path, opened);
    }
    await opened.close();
  } catch (error) {
    await opened.close();
    throw error;
  }
  return (await hasProc()) ? Promise.reject(staleError(path)) : undefined;
}

/** Some file systems ignore case, and keep the name they know. Without a link on the way it is the same folder. */
async function isOtherSpelling(path: string, real: Buffer): Promise<boolean> {
  const fold = (name: string) => name.normalize('NFC').toLowerCase();
  return fold(real.toString('utf8')) === fold(path) && (await fs.realpath(path)) === path;
}

function descriptorHold(path: string, opened: FileHandle): Hold {
  const at = (name: string) => `/proc/self/fd/${opened.fd}/${name}`;
  return {
    path,
    processPath: `/proc/${process.pid}/fd/${opened.fd}`,
    at,
    confirm: async () => {},
    enter: async (name) => descriptorHold(join(path, name), await openFolder(at(name))),
    processPathOf: (file) => `/proc/${process.pid}/fd/${file.fd}`,
    close: () => opened.close(),
  };
}

function openFolder(path: string): Promise<FileHandle> {
  return fs.open(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

function noProc(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined;
  throw error;
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

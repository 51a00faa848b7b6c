/**
 * Reads files and folders of a project. They may be anything: a pipe, a device, a link into `/proc`, a file of a gigabyte,
 * a folder of a million names. Nothing here blocks or exceeds its limit, and an unreadable file gives a reason, not an
 * error (GT-32).
 */

import { basename, dirname } from 'node:path';
import { reasonOf } from '../protocol/reason-of.js';
import { type Entry, errorCode, type FileStat, type Files, type ReadHandle } from './files.js';

export type RegularFileRead =
  | { readonly kind: 'absent' }
  | { readonly kind: 'read'; readonly bytes: Buffer; readonly real: string; readonly stat: FileStat }
  | { readonly kind: 'refused'; readonly reason: string };

export type RegularFileOptions = {
  /** In bytes. */
  readonly most: number;
  /** Returns why the file at this real path must not be read; undefined if it may. */
  readonly refuse?: (realPath: string) => string | undefined;
};

/** Follows links. A broken link is refused: a file was meant to be there. */
export async function readRegularFile(
  files: Files,
  path: string,
  { most, refuse }: RegularFileOptions,
): Promise<RegularFileRead> {
  try {
    const found = await inspect(files, path);
    if (found === undefined) return { kind: 'absent' };
    const refused = found.problem ?? refuse?.(found.real) ?? reasonNotRegular(found.stat, most);
    if (refused !== undefined) return { kind: 'refused', reason: refused };
    const handle = await openReal(files, found.real);
    try {
      // Checked again after opening: the file may have been replaced.
      const stat = await handle.stat();
      const reason = reasonNotRegular(stat, most);
      if (reason !== undefined) return { kind: 'refused', reason };
      const bytes = await handle.read(0, stat.size + 1);
      return bytes.length > most
        ? { kind: 'refused', reason: tooLarge(bytes.length, most) }
        : { kind: 'read', bytes, real: found.real, stat };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return { kind: 'refused', reason: await explainUnreadable(files, path, error) };
  }
}

async function openReal(files: Files, real: string): Promise<ReadHandle> {
  const folder = await files.holdFolder(dirname(real));
  try {
    return await folder.openRead(basename(real));
  } finally {
    await folder.close();
  }
}

export type RegularFolderList =
  | { readonly kind: 'absent' }
  | { readonly kind: 'listed'; readonly entries: readonly Entry[]; readonly real: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Follows links. A folder with more than `most` names is refused as a whole, because a part of it would be arbitrary. */
export async function listRegularFolder(files: Files, path: string, most: number): Promise<RegularFolderList> {
  try {
    const found = await inspect(files, path);
    if (found === undefined) return { kind: 'absent' };
    if (found.problem !== undefined) return { kind: 'refused', reason: found.problem };
    if (found.stat.kind !== 'folder') return { kind: 'refused', reason: 'it is not a folder' };
    const entries = files.sync.list(path, most + 1);
    return entries.length > most
      ? { kind: 'refused', reason: `it has more than ${most} entries` }
      : { kind: 'listed', entries, real: found.real };
  } catch (error) {
    return { kind: 'refused', reason: await explainUnreadable(files, path, error) };
  }
}

async function explainUnreadable(files: Files, path: string, error: unknown): Promise<string> {
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM': {
      const closed = await closedFolder(files, dirname(path));
      return closed === undefined
        ? 'permission denied (check the owner and mode of the file)'
        : `permission denied: this user may not enter ${closed} (check its owner and mode, or whether HOME is right)`;
    }
    case 'ELOOP':
      return 'too many levels of links';
    case 'ENXIO':
      return NOT_REGULAR;
    default:
      return reasonOf(error);
  }
}

/** The outermost folder of the path that can't be entered; undefined if all can. */
async function closedFolder(files: Files, folder: string): Promise<string | undefined> {
  const outer = dirname(folder) === folder ? undefined : await closedFolder(files, dirname(folder));
  if (outer !== undefined) return outer;
  // Any name will do, to test whether names can be looked up.
  const isOpen = await files.lstat(`${folder}/.`).then(
    () => true,
    () => false,
  );
  return isOpen ? undefined : folder;
}

const NOT_REGULAR = 'it is not a regular file';

type Inspected = { readonly stat: FileStat; readonly real: string; readonly problem?: string };

async function inspect(files: Files, path: string): Promise<Inspected | undefined> {
  const stat = await files.stat(path);
  if (stat === undefined) {
    const link = await files.lstat(path);
    return link?.kind === 'link' ? { stat: link, real: path, problem: 'it is a broken link' } : undefined;
  }
  const real = await files.realpath(path);
  const system = /^\/(?:proc|sys|dev)(?:\/|$)/.test(real);
  return { stat, real, ...(system ? { problem: `it leads to ${real}, a part of the running system` } : {}) };
}

function reasonNotRegular(stat: FileStat, most: number): string | undefined {
  if (stat.kind === 'folder') return 'it is a folder, not a file';
  if (stat.kind !== 'file') return NOT_REGULAR;
  return stat.size > most ? tooLarge(stat.size, most) : undefined;
}

function tooLarge(size: number, most: number): string {
  return `it is too large (${size} bytes, at most ${most})`;
}

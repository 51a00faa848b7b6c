/** Reads what is at a path, by its real path: a file, a link, a folder or nothing. No link is followed (GT-28). */

import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { errorCode, type FileStat, type Files, type HeldFolder } from '../../host/files.js';
import type { PathState } from '../../protocol/events.js';

/** `content`: of a file, or a link's target. */
export type FoundPath = { readonly state: PathState; readonly content?: Buffer };

export const NOTHING: PathState = { sha256: null };

/** Larger files are not read. */
const MOST_BYTES = 512 * 1024 * 1024;

/** Undefined for a pipe, a device or a socket: it is never opened. Throws if it can't be read or is larger than `most`. */
export async function readPath(files: Files, path: string, most = MOST_BYTES): Promise<FoundPath | undefined> {
  const read = async (folder: HeldFolder, name: string) => ({ found: await readName(folder, name, most) });
  const found = await unlessAbsent(inFolderOf(files, path, read));
  return found === undefined ? { state: NOTHING } : found.found;
}

async function readName(folder: HeldFolder, name: string, most: number): Promise<FoundPath | undefined> {
  const found = await folder.lstat(name);
  if (found === undefined) return { state: NOTHING };
  switch (found.kind) {
    case 'file':
      return readContent(folder, name, most);
    case 'link': {
      const content = await folder.readLink(name);
      return { state: { sha256: sha256Of(content), as: 'link' }, content };
    }
    case 'folder':
      return { state: { sha256: null, as: 'folder', mode: modeOf(found) } };
    case 'other':
      return undefined;
    default:
      return found.kind satisfies never;
  }
}

async function readContent(folder: HeldFolder, name: string, most: number): Promise<FoundPath | undefined> {
  const file = await folder.openRead(name);
  try {
    const stat = await file.stat();
    if (stat.kind !== 'file') return undefined;
    if (stat.size > most) throw new Error(`it is too large (${stat.size} bytes, at most ${most})`);
    const content = await file.read(0, stat.size);
    return { state: { sha256: sha256Of(content), mode: modeOf(stat) }, content };
  } finally {
    await file.close();
  }
}

function modeOf({ mode }: FileStat): number {
  return mode & 0o7777;
}

/** Undefined if it can't be read or is no file, folder or link. */
export async function readPathSafely(files: Files, path: string, most?: number): Promise<FoundPath | undefined> {
  try {
    return await readPath(files, path, most);
  } catch {
    return undefined;
  }
}

/** Older records have no mode: then any mode is the same. */
export function isSameState(a: PathState, b: PathState): boolean {
  const isSameMode = a.mode === undefined || b.mode === undefined || a.mode === b.mode;
  return a.sha256 === b.sha256 && a.as === b.as && isSameMode;
}

export function isNothing({ sha256, as }: PathState): boolean {
  return sha256 === null && as === undefined;
}

export type TreeEntry = { readonly path: string; readonly stat: FileStat };

/**
 * The path and everything below it, each folder before its content; empty if there is nothing. Undefined if there are more
 * than `most`. Throws if a folder can't be listed, or a name in it can't be represented.
 */
export async function listTree(files: Files, path: string, most: number): Promise<readonly TreeEntry[] | undefined> {
  const stat = await unlessAbsent(inFolderOf(files, path, (folder, name) => folder.lstat(name)));
  if (stat === undefined) return [];
  const found: TreeEntry[] = [{ path, stat }];
  for (let next = 0; next < found.length; next += 1) {
    const entry = found[next];
    if (entry?.stat.kind !== 'folder') continue;
    const folder = await files.holdFolder(entry.path);
    try {
      for (const { name } of await folder.list(most + 1)) {
        const below = await folder.lstat(name);
        if (below === undefined) throw new Error(`a name in ${entry.path} can't be read`);
        if (found.push({ path: join(entry.path, name), stat: below }) > most) return undefined;
      }
    } finally {
      await folder.close();
    }
  }
  return found.length > most ? undefined : found;
}

/** Holds the folder of a path, by its real path. */
export async function inFolderOf<T>(
  files: Files,
  path: string,
  work: (folder: HeldFolder, name: string) => Promise<T>,
): Promise<T> {
  const folder = await files.holdFolder(dirname(path));
  try {
    return await work(folder, basename(path));
  } finally {
    await folder.close();
  }
}

/** Undefined if a part of the path is missing, a file or a link: nothing has this real path. */
async function unlessAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (ABSENT.has(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ESTALE']);

export function sha256Of(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

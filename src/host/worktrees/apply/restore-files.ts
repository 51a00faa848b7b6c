/** Undoes the changes of an apply to files so far, in reverse order. */

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { errorCode, type Files } from '../../files.js';
import type { Host } from '../../host.js';
import { isSame } from './plan-changes.js';

/** One path. Its index in the list is the name of its previous content in `old/`. */
export type ApplyStep = {
  /** Below the top. */
  readonly path: string;
  /** It exists and is moved away first. */
  readonly was?: 'file' | 'folder';
  /** The new content: see `fingerprint`. Absent: none. */
  readonly now?: string;
};

type Placing = { readonly top: string; readonly folder: string; readonly steps: readonly ApplyStep[] };

export function oldPath({ folder }: Pick<Placing, 'folder'>, number: number): string {
  return join(folder, 'old', String(number));
}

export function newPath({ folder }: Pick<Placing, 'folder'>, path: string): string {
  return join(folder, 'new', path);
}

/** Returns the paths with content that is not ours: they are left unchanged. */
export async function restoreFiles(
  { files }: Host,
  placing: Placing & { readonly folders: readonly string[] },
): Promise<readonly string[]> {
  const left: string[] = [];
  const backwards = [...placing.steps.entries()].reverse();
  const undoAll = async (steps: typeof backwards) => {
    for (const [number, step] of steps) if (!(await undo(files, placing, number, step))) left.push(step.path);
  };
  await undoAll(backwards.filter(([, { now }]) => now !== undefined));
  // Before files are restored whose names these folders took.
  for (const folder of [...placing.folders].reverse()) {
    if (await leadsAway(files, placing.top, folder)) continue;
    await files.removeFolder(join(placing.top, folder)).catch(() => {});
  }
  await undoAll(backwards.filter(([, { now }]) => now === undefined));
  return left.sort();
}

/** Returns false for a path that is left unchanged. */
async function undo(files: Files, placing: Placing, number: number, { path, was, now }: ApplyStep): Promise<boolean> {
  const [at, old, draft] = [join(placing.top, path), oldPath(placing, number), newPath(placing, path)];
  if (was !== undefined && (await files.lstat(old)) === undefined) return true;
  if (await leadsAway(files, placing.top, path)) return was === undefined && (await files.lstat(draft)) !== undefined;
  if (now !== undefined) {
    const staged = await files.lstat(draft);
    // Not placed yet: whatever is there, even with the same content, is not ours.
    const isPlaced = staged === undefined || isSame(staged, await files.lstat(at));
    if (isPlaced && (await fingerprint(files, at)) === now) await files.remove(at);
    if (was === undefined) return !isPlaced || (await files.lstat(at)) === undefined;
  }
  if ((await files.lstat(at)) !== undefined) return false;
  try {
    await files.makeFolder(dirname(at));
  } catch (error) {
    // A file has replaced the folder.
    if (['EEXIST', 'ENOTDIR'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
  await files.rename(old, at);
  return true;
}

/** True if a folder of the path is a link: no apply follows one, so it was created since. */
async function leadsAway(files: Files, top: string, path: string): Promise<boolean> {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    if ((await files.lstat(join(top, folder)))?.kind === 'link') return true;
  }
  return false;
}

/** Identifies the content of a path: its bytes and executable bit, or the target of a link. Undefined: nothing. */
export async function fingerprint(files: Files, path: string): Promise<string | undefined> {
  const at = await files.lstat(path);
  if (at === undefined) return undefined;
  if (at.kind === 'link') return `link:${await files.readLink(path)}`;
  if (at.kind !== 'file') return at.kind;
  const hash = createHash('sha256');
  const handle = await files.openRead(path).catch((error) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (handle === undefined) return undefined;
  try {
    for (let position = 0; ; ) {
      const piece = await handle.read(position, PIECE);
      if (piece.length === 0) break;
      hash.update(piece);
      position += piece.length;
    }
  } finally {
    await handle.close();
  }
  return `file:${(at.mode & 0o100) === 0 ? '' : 'x:'}${hash.digest('hex')}`;
}

const PIECE = 1024 * 1024;

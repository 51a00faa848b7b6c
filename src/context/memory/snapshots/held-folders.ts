/** Folders held open while they are used, so that replacing them meanwhile has no effect (GT-28). */

import { basename, dirname } from 'node:path';
import { errorCode, type HeldFolder } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import { reasonOf } from '../../../protocol/reason-of.js';

/** Holds a folder open until the work is done. */
export type Hold = (opening: Promise<HeldFolder>) => Promise<HeldFolder>;

export async function whileHolding<T>(work: (hold: Hold) => Promise<T>): Promise<T> {
  const held: HeldFolder[] = [];
  try {
    return await work(async (opening) => {
      const folder = await opening;
      held.push(folder);
      return folder;
    });
  } finally {
    for (const folder of held.reverse()) await folder.close().catch(() => {});
  }
}

/** Undefined if there is nothing by that name. Throws for anything but a folder. */
export async function enterIfThere(hold: Hold, folder: HeldFolder, name: string): Promise<HeldFolder | undefined> {
  return (await folder.lstat(name)) === undefined ? undefined : hold(folder.enter(name));
}

/** Undefined if it is not there. */
export async function holdIfThere(hold: Hold, host: Host, path: string): Promise<HeldFolder | undefined> {
  try {
    return await hold(host.files.holdFolder(path));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Creates the missing folders, name by name from the innermost existing one. */
export async function holdOrMake(hold: Hold, host: Host, path: string, isPrivate: boolean): Promise<HeldFolder> {
  const there = await holdIfThere(hold, host, path);
  if (there !== undefined) return there;
  if (dirname(path) === path) throw new Error(`${path} is not there`);
  const name = basename(path);
  // A project's settings folder is not private, even with a memory in it.
  const above = await holdOrMake(hold, host, dirname(path), isPrivate && name !== '.claude');
  const made = await hold(above.makeFolder(name, isPrivate && name !== '.claude' ? 0o700 : undefined));
  await above.sync();
  return made;
}

/** Best effort, one level of names per folder: the next run removes the rest. */
export async function removeTree(folder: HeldFolder, name: string): Promise<void> {
  const found = await folder.lstat(name);
  if (found === undefined) return;
  if (found.kind !== 'folder') return folder.remove(name);
  await whileHolding(async (hold) => {
    const inner = await hold(folder.enter(name));
    for (const entry of await inner.list(MOST_REMOVED)) await removeTree(inner, entry.name);
  });
  await folder.removeFolder(name);
}

const MOST_REMOVED = 10_000;

/** A reason without the descriptor paths of held folders. */
export function plainReason(error: unknown): string {
  return reasonOf(error).replaceAll(/\/proc\/self\/fd\/\d+\//g, '');
}

/**
 * Puts paths into given states, without following links: what has to go is removed from the inside out, what has to come
 * is made from the outside in, and folders get their modes last, so that a read-only one can be filled.
 */

import { basename, dirname } from 'node:path';
import { errorCode, type Files } from '../../host/files.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { type FoundPath, inFolderOf, isNothing, isSameState, NOTHING, readPath } from './path-state.js';

/** A path to restore, as it is now and as it will be. */
export type Restoration = { readonly path: string; readonly now: FoundPath; readonly to: FoundPath };

export type LeftFile = { readonly path: string; readonly reason: string };

type Restored = { readonly done: readonly Restoration[]; readonly failed: readonly LeftFile[] };

/** Each restoration succeeds or fails alone. `done` also has missing folders that were made around a restored path. */
export async function restorePaths(files: Files, wanted: readonly Restoration[]): Promise<Restored> {
  const failed = new Map<string, string>();
  const made: Restoration[] = [];
  const each = async (some: readonly Restoration[], work: (one: Restoration) => Promise<void>) => {
    for (const one of some) {
      if (failed.has(one.path)) continue;
      await work(one).catch((error: unknown) => failed.set(one.path, whyNot(error)));
    }
  };
  const inward = [...wanted].sort((a, b) => depthOf(a) - depthOf(b));
  const outward = [...inward].reverse();
  const staying = inward.filter(({ now, to }) => now.state.as === 'folder' && to.state.as === 'folder');
  // A file that someone changes now is not removed.
  await each(inward, async (one) => confirmUnchanged(files, one));
  await each(
    inward.filter(({ now }) => now.state.as === 'folder'),
    ({ path }) => setMode(files, path, (mode) => mode | OWNER_ALL),
  );
  await each(outward.filter(mustGo), (one) => remove(files, one));
  await each(
    inward.filter((one) => !isNothing(one.to.state) && !staying.includes(one)),
    async (one) => void made.push(...(await make(files, one))),
  );
  await each(
    outward.filter(({ to }) => to.state.as === 'folder'),
    ({ path, to }) => setMode(files, path, (mode) => to.state.mode ?? mode),
  );
  return {
    done: [...made, ...wanted.filter(({ path }) => !failed.has(path))],
    failed: [...failed].map(([path, reason]) => ({ path, reason })),
  };
}

const OWNER_ALL = 0o700;

function whyNot(error: unknown): string {
  return errorCode(error) === 'ENOTEMPTY' ? 'it is not empty: something in it was left alone' : reasonOf(error);
}

/** A file is replaced by another at once; anything else makes room first. */
function mustGo({ now, to }: Restoration): boolean {
  const isFile = (one: Restoration['now']) => one.state.as === undefined && one.state.sha256 !== null;
  const isFolder = now.state.as === 'folder' && to.state.as === 'folder';
  return !isNothing(now.state) && !isFolder && !(isFile(now) && isFile(to));
}

async function confirmUnchanged(files: Files, { path, now }: Restoration): Promise<void> {
  const found = await readPath(files, path);
  if (found === undefined || !isSameState(found.state, now.state)) throw new Error('it was changed just now');
}

async function remove(files: Files, { path, now }: Restoration): Promise<void> {
  await inFolderOf(files, path, (folder, name) =>
    now.state.as === 'folder' ? folder.removeFolder(name) : folder.remove(name),
  );
}

/** Returns the folders it had to make around the path. */
async function make(files: Files, { path, now, to }: Restoration): Promise<readonly Restoration[]> {
  const made = await makeAround(files, dirname(path));
  const { state, content } = to;
  await inFolderOf(files, path, async (folder, name) => {
    if (state.as === 'folder') await (await folder.makeFolder(name, (state.mode ?? 0o777) | OWNER_ALL)).close();
    else if (content === undefined) throw new Error('its saved content is missing');
    else if (state.as === 'link') await folder.makeLink(content, name);
    else if (state.mode === undefined || state.mode === now.state.mode)
      await folder.replace(name, content, { mode: 0o666 });
    else await folder.replace(name, content, { mode: state.mode, exact: true });
  });
  return made;
}

async function makeAround(files: Files, folder: string): Promise<readonly Restoration[]> {
  if (folder === dirname(folder) || (await files.lstat(folder)) !== undefined) return [];
  const outer = await makeAround(files, dirname(folder));
  await inFolderOf(files, folder, async (held, name) => (await held.makeFolder(name)).close());
  const { state } = (await readPath(files, folder)) ?? { state: NOTHING };
  return [...outer, { path: folder, now: { state: NOTHING }, to: { state } }];
}

async function setMode(files: Files, path: string, change: (mode: number) => number): Promise<void> {
  const around = await files.holdFolder(dirname(path));
  try {
    const folder = await around.enter(basename(path));
    try {
      const { mode = 0 } = (await around.lstat(basename(path))) ?? {};
      await folder.setMode(change(mode & 0o7777));
    } finally {
      await folder.close();
    }
  } finally {
    await around.close();
  }
}

export function depthOf({ path }: { readonly path: string }): number {
  return path.split('/').length;
}

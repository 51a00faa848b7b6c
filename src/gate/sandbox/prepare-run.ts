/** Prepares one sandboxed command, and cleans up after it. */

import { join } from 'node:path';
import { errorCode } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { findProtectedName } from '../permissions/paths/protected-names.js';
import { isWithin } from '../permissions/paths/resolve-path.js';
import { setAsideWhatAppeared } from './check-after.js';
import type { Needs } from './confinement.js';
import { findGuards, type Guards } from './find-guards.js';
import type { Mount } from './mounts.js';
import { foldersBetween, type NestedFolders } from './nested-folders.js';
import type { Stubs } from './stubs.js';

/** What all runs of this process share. */
export type RunSurroundings = {
  /** Mounts of every run. */
  readonly always: readonly Mount[];
  /** Paths whose content no command sees. */
  readonly hidden: readonly string[];
  /** The person's home folder: it counts as a root of its own if it is inside one. */
  readonly homes: readonly string[];
  readonly stubs: Stubs;
  readonly nested: NestedFolders;
  /** Creating stubs must not overlap with another run's removing them. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Everything granted so far: what appears there is intended. */
  readonly granted: Set<string>;
};

export type RunRequest = {
  readonly id: string;
  /** Real path. */
  readonly cwd: string;
  readonly needs: Needs;
  /** Real paths a person opened for this run. */
  readonly granted: readonly string[];
  /** Absent names in the roots that a person allowed it to create. */
  readonly names: readonly string[];
};

export type PreparedRun = { readonly mounts: readonly Mount[]; finish(): Promise<readonly string[]> };

export async function prepareRun(host: Host, around: RunSurroundings, request: RunRequest): Promise<PreparedRun> {
  const { id, cwd, needs, granted, names } = request;
  for (const path of [...granted, ...names]) around.granted.add(path);
  const roots = await Promise.all(needs.roots.map((root) => host.files.realpath(root)));
  const { writable, readOnly } = await gitParts(host, needs.worktree);
  const open = [...roots, ...writable, ...granted];

  const inRoots = (path: string) => roots.some((root) => isWithin(path, root));

  return around.inTurn(async () => {
    const guards: Guards = { reads: [...readOnly], pins: [], stubs: [], watched: [], links: [] };
    const held = await around.stubs.held();
    for (const folder of await wholeFolders(host, [...roots, ...granted, ...around.homes.filter(inRoots)])) {
      await findGuards(host.files, folder, guards, { absent: true, held });
    }
    for (const folder of await partFolders(host, around, roots, writable, cwd)) {
      await findGuards(host.files, folder, guards, { absent: false, held }).catch(ignoreUnreadable);
    }
    const watched = guards.watched.filter(({ path }) => open.some((folder) => isWithin(path, folder)));
    const wanted = guards.stubs.filter((path) => !names.includes(path));
    const standing = await around.stubs.take(id, wanted, watched);
    const mounts: Mount[] = [
      // First, because of two mounts for one path the first wins, and `/tmp` itself may be a root.
      ...open.map((path): Mount => ({ kind: 'open', path })),
      ...around.always,
      ...open.flatMap(surroundingsInTmp),
      ...guards.pins.map((path): Mount => ({ kind: 'pin', path })),
      ...[...guards.reads, ...standing].map((path): Mount => ({ kind: 'read', path })),
    ];
    const finish = () =>
      around.inTurn(async () => {
        await around.stubs.giveBack(id);
        const excepted = [...around.granted, ...(await around.stubs.held())];
        return setAsideWhatAppeared(host, { watched, links: guards.links, open, excepted });
      });
    return { mounts, finish };
  });
}

/** Of the git folder: objects, but not packed ones, and the worktree's own record, but not git's lock on it. */
async function gitParts(host: Host, worktree: Needs['worktree']) {
  if (worktree === undefined) return { writable: [], readOnly: [] };
  const { own, common } = worktree;
  const objects = join(common, 'objects');
  const guarded = [join(objects, 'info'), join(objects, 'pack'), join(own, 'locked')];
  const readOnly: string[] = [];
  for (const path of guarded) if ((await host.files.lstat(path)) !== undefined) readOnly.push(path);
  return { writable: [await host.files.realpath(objects), await host.files.realpath(own)], readOnly };
}

/** `/tmp` is replaced; for a root inside it, the surrounding project must still be visible. */
function surroundingsInTmp(path: string): readonly Mount[] {
  const project = /^\/tmp\/[^/]+(?=\/)/.exec(path)?.[0];
  return project === undefined ? [] : [{ kind: 'show', path: project }];
}

/** Folders in which absent names count too: no single files, no parts of a git folder granted by name. */
async function wholeFolders(host: Host, paths: readonly string[]): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const path of new Set(paths)) if ((await host.files.stat(path))?.kind === 'folder') folders.push(path);
  return folders.filter((path) => findProtectedName(path.split('/').slice(-1)) === undefined);
}

/** Folders in which only existing names are guarded: inside the roots, and opened parts of a git folder. */
async function partFolders(
  host: Host,
  { nested }: RunSurroundings,
  roots: readonly string[],
  writable: readonly string[],
  cwd: string,
): Promise<ReadonlySet<string>> {
  const folders = new Set<string>();
  for (const root of roots) {
    for (const folder of await nested.find(root)) folders.add(folder);
    for (const folder of foldersBetween(root, cwd)) folders.add(folder);
  }
  for (const path of writable) if ((await host.files.stat(path))?.kind === 'folder') folders.add(path);
  for (const root of roots) folders.delete(root);
  return folders;
}

/** A folder inside a root that is gone or unreadable for us is so for the command too. */
function ignoreUnreadable(error: unknown): void {
  if (!/^(?:ENOENT|ENOTDIR|EACCES|EPERM)$/.test(errorCode(error) ?? '')) throw error;
}

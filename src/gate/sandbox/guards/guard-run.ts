/** Guards the protected names of one command that may write, and cleans up after it. */

import { dirname, join } from 'node:path';
import { errorCode } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import { findProtectedName } from '../../permissions/paths/protected-names.js';
import { isWithin } from '../../permissions/paths/resolve-path.js';
import type { Mount } from '../mounts/mounts.js';
import { findWorkTree } from '../view/find-git-folders.js';
import { recordPlaces } from '../view/places.js';
import { setAsideWhatAppeared } from './check-after.js';
import { findGuards, type GuardScan, type Guards } from './find-guards.js';
import { guardHome, wayTo } from './home-guards.js';
import { foldersBetween, type NestedFolders } from './nested-folders.js';
import type { Stubs } from './stubs.js';

/** What all runs of this process share. */
export type RunSurroundings = {
  /** The user's home folder: treated as a root of its own if it is inside one. */
  readonly home: string;
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
  /** Real paths of the folders it works in. */
  readonly roots: readonly string[];
  /** Parts of a git folder that a commit in a worktree of ours writes. */
  readonly gitParts: GitParts;
  /** Real paths a person opened for this run. */
  readonly granted: readonly string[];
  /** Absent names in the roots that a person allowed it to create. */
  readonly names: readonly string[];
  readonly git: GuardScan['git'];
  /** It can write to the whole machine. */
  readonly wide: boolean;
  /** Further real paths that must stay where they are. */
  readonly kept: readonly string[];
};

export type GuardedRun = {
  readonly mounts: readonly Mount[];
  /** What is read-only. */
  readonly guarded: readonly string[];
  finish(): Promise<readonly string[]>;
};

export async function guardRun(host: Host, around: RunSurroundings, request: RunRequest): Promise<GuardedRun> {
  const { id, cwd, roots, gitParts, granted, names, wide } = request;
  for (const path of [...granted, ...names]) around.granted.add(path);
  const open = [...roots, ...gitParts.writable, ...granted];
  const isOpen = (path: string) => wide || open.some((folder) => isWithin(path, folder));
  const isHomeInside = roots.some((root) => isWithin(around.home, root));
  return around.inTurn(async () => {
    const guards: Guards = { ...noGuards(), reads: [...gitParts.readOnly] };
    if (wide || isHomeInside) guardHome(host, roots, guards);
    if (wide) guards.pins.push(...[...roots, ...request.kept].flatMap(wayTo));
    const look = { held: await around.stubs.held(), git: request.git, own: gitParts.writable, wide };
    for (const folder of await wholeFolders(host, [...roots, ...granted, ...(isHomeInside ? [around.home] : [])])) {
      await findGuards(host.files, folder, guards, { ...look, absent: true });
    }
    for (const folder of await partFolders(host, around, roots, gitParts.writable, cwd)) {
      await findGuards(host.files, folder, guards, { ...look, absent: false }).catch(ignoreUnreadable);
    }
    // A session may work in a part of a repository: what decides about it lies above.
    for (const folder of wide ? roots.flatMap((root) => foldersAbove(root, host)) : []) {
      await findGuards(host.files, folder, guards, { ...look, absent: false }).catch(ignoreUnreadable);
    }
    const ways = guards.reads.flatMap((path) => wayTo(dirname(path)));
    guards.pins.push(...ways.filter((path) => roots.some((root) => path !== root && isWithin(path, root))));
    const watched = guards.watched.filter(({ path }) => isOpen(path));
    const wanted = guards.stubs.filter((path) => !names.includes(path));
    const standing = await around.stubs.take(id, wanted, watched);
    const guarded = [...guards.reads, ...standing].filter((path) => !granted.includes(path));
    const recorded = recordPlaces(roots, host.files.sync);
    const finish = async () => {
      await around.stubs.giveBack(id);
      const excepted = [...around.granted, ...(await around.stubs.held())];
      const { links, absent } = guards;
      return setAsideWhatAppeared(host, {
        watched,
        links,
        absent,
        roots: recorded,
        open: wide ? ['/'] : open,
        excepted,
      });
    };
    return {
      mounts: [
        ...(wide ? guards.records : []).map((path): Mount => ({ kind: 'open', path })),
        ...guards.pins.map((path): Mount => ({ kind: 'pin', path })),
        ...guarded.map((path): Mount => ({ kind: 'read', path })),
      ],
      guarded,
      finish: () => around.inTurn(finish),
    };
  });
}

function noGuards(): Guards {
  return { reads: [], pins: [], stubs: [], watched: [], links: [], absent: [], records: [] };
}

export type GitParts = { readonly writable: readonly string[]; readonly readOnly: readonly string[] };

/** Of the git folder: objects, but not packed ones, and the worktree's own record, but not git's lock on it. */
export async function findGitParts(
  host: Host,
  git: { readonly own: string; readonly common: string } | undefined,
): Promise<GitParts> {
  if (git === undefined) return { writable: [], readOnly: [] };
  const objects = join(git.common, 'objects');
  const guarded = [join(objects, 'info'), join(objects, 'pack'), join(git.own, 'locked')];
  const readOnly: string[] = [];
  for (const path of guarded) if ((await host.files.lstat(path)) !== undefined) readOnly.push(path);
  return { writable: [await host.files.realpath(objects), await host.files.realpath(git.own)], readOnly };
}

/** The folders above a root, up to the top of the work tree that it is a part of. */
function foldersAbove(root: string, host: Host): readonly string[] {
  const top = findWorkTree(root, host.files.sync);
  return top === undefined ? [] : wayTo(dirname(root)).filter((folder) => isWithin(folder, top));
}

/** Folders in which absent names matter too: no single files, no parts of a git folder granted by name. */
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

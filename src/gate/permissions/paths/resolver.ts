/** Resolves paths, roots and repositories once per decision, and matches rule patterns against real paths. */

import { join, relative } from 'node:path';
import type { Entry, SyncFiles } from '../../../host/files.js';
import type { Policy } from '../policy.js';
import { matchPath, type PathPattern, type PatternFolders, patternBases } from '../rules/path-pattern.js';
import { findProtectedName } from './protected-names.js';
import { realPath } from './real-path.js';
import {
  findBorrowed,
  findUntrustedProgram,
  type Programs,
  type RepositoryReading,
  readRepository,
  type Trust,
} from './repository.js';
import { findNeededProgram } from './repository-needs.js';
import {
  followLinks,
  isWithin,
  leaveUnseen,
  type PathFolders,
  type ResolvedPath,
  resolvePath,
} from './resolve-path.js';

export interface Resolver {
  /** The remaining lookups of this decision. */
  readonly allowance: WorkLimit;
  resolve(path: string, cwd: string): ResolvedPath;
  /** True inside the roots, or the folders that may be read like them. */
  isReadable(path: ResolvedPath): boolean;
  /** A program that git may run in this folder without the user's trust: nested repositories, an agent's folder. */
  untrustedProgram(cwd: string, programs?: Programs): string | undefined;
  /** A program of an untrusted repository without which this git command would do something else. */
  neededProgram(cwd: string, subcommand: string): string | undefined;
  /** The top of the nearest repository that git may use there. */
  repositoryOf(cwd: string): string | undefined;
  /** A folder outside that git would show here although it belongs to another work tree. */
  borrowedRepository(cwd: string): string | undefined;
  /** Folders with git's own files for this folder that edits may change without asking, because no name protects them. */
  editableGitFolders(cwd: string): readonly string[];
  /** A folder's entries; undefined if there are too many. Throws if it can't be read. */
  list(folder: string): readonly Entry[] | undefined;
  /** Matches a pattern against this path. `wide`: also against the path as written, not only its target. */
  matches(pattern: PathPattern, path: ResolvedPath, wide: boolean, isFolder: boolean): boolean;
  /** True if a match of the pattern may be inside this folder, or the folder inside a match. */
  touches(pattern: PathPattern, folder: string): boolean;
}

export function createResolver(policy: Policy, cwd: string): Resolver {
  const resolved = new Map<string, ResolvedPath>();
  const reals = new Map<string, string | undefined>();
  const repositories = new Map<string, RepositoryReading>();
  const listed = new Map<string, readonly Entry[]>();
  const allowance = new WorkLimit();
  const files = countedFiles(policy.files, allowance);
  const working = [...new Set([...policy.roots, cwd])];
  const wideFolders: PatternFolders = { home: policy.home, working };
  const strictFolders: PatternFolders = { home: policy.home, working: policy.roots.slice(0, 1) };

  const realFolder = (path: string) => once(reals, path, () => realPath(path, files));
  const fixed = policy.fixed ?? new Map<string, string>();
  const real = (path: string) => once(fixed, path, () => realFolder(path) ?? path);
  let known: PathFolders | undefined;
  const pathFolders = () => {
    known ??= makeFolders(policy.roots.map(real));
    return known;
  };
  /** Each folder as written and its target; it need not exist yet. */
  const named = (folders: readonly string[]) => [
    ...new Set(folders.flatMap((folder) => [folder, once(fixed, `named ${folder}`, () => followLinks(folder, files))])),
  ];
  const makeFolders = (roots: readonly string[]): PathFolders => ({
    roots,
    home: named([policy.home]),
    own: named(policy.guarded?.own ?? []),
    programs: () => named(policy.guarded?.programs ?? []),
    files,
    realFolder: (folder) => (roots.includes(folder) ? folder : realFolder(folder)),
  });

  // The agent does not choose the roots' own names.
  const isEditable = (folder: string) =>
    pathFolders().roots.some(
      (root) => isWithin(folder, root) && findProtectedName(relative(root, folder).split('/')) === undefined,
    );
  const repository = (folder: string) => once(repositories, folder, () => readRepository(folder, files));
  const trust = (): Trust => ({
    trusted: policy.trusted ? repository(policy.roots[0] ?? '/') : undefined,
    isEditable,
  });

  return {
    allowance,
    resolve: (path, from) =>
      once(resolved, `${from}\0${path}`, () =>
        allowance.isSpent ? leaveUnseen(path, from) : resolvePath(path, from, pathFolders()),
      ),
    isReadable: (path) => {
      if (path.inside !== undefined) return true;
      return (policy.readRoots ?? []).some((folder) => isWithin(path.real, real(folder)));
    },
    editableGitFolders: (folder) =>
      repository(folder).candidates.flatMap(({ gitFolders }) => gitFolders.filter(isEditable)),
    borrowedRepository: (folder) =>
      findBorrowed(repository(folder), trust(), (path) => pathFolders().roots.some((root) => isWithin(path, root))),
    untrustedProgram: (folder, given = 'on') => {
      // Where nothing is trusted, git leaves submodules alone (`host/git`).
      const programs = given === 'off' && !policy.trusted ? 'off-alone' : given;
      return findUntrustedProgram(repository(folder), trust(), programs);
    },
    neededProgram: (folder, subcommand) =>
      findUntrustedProgram(repository(folder), trust()) === undefined
        ? undefined
        : findNeededProgram(repository(folder), subcommand, files),
    repositoryOf: (folder) => repository(folder).folder,
    list: (folder) => {
      const entries = once(listed, folder, () => files.list(folder, MOST_ENTRIES + 1));
      return entries.length > MOST_ENTRIES ? undefined : entries;
    },
    matches: (pattern, path, wide, isFolder) => {
      const folders = wide ? wideFolders : strictFolders;
      allowance.spend(3);
      if (wide && matchPath(pattern, path.lexical, folders, isFolder)) return true;
      if (matchPath(pattern, path.real, folders, isFolder)) return true;
      // A link may lead to the pattern's own folder.
      for (const base of patternBases(pattern, folders)) {
        const realBase = real(base);
        if (realBase === base || !isWithin(path.real, realBase)) continue;
        if (matchPath(pattern, join(base, relative(realBase, path.real)), folders, isFolder)) return true;
      }
      return false;
    },
    touches: (pattern, folder) => {
      allowance.spend(2);
      for (const base of patternBases(pattern, wideFolders)) {
        const realBase = real(base);
        if (isWithin(realBase, folder) || isWithin(folder, realBase)) return true;
      }
      return false;
    },
  };
}

const MOST_ENTRIES = 2_000;

function once<T>(cache: Map<string, T>, key: string, make: () => T): T {
  const found = cache.get(key);
  if (found !== undefined || cache.has(key)) return found as T;
  const made = make();
  cache.set(key, made);
  return made;
}

/** One unit is one file lookup or one pattern comparison: some microseconds. */
const MOST_UNITS = 20_000;

/**
 * Limits the work of one decision. A model's input may be long, and nothing else runs while it is judged. Beyond the
 * limit, a call is not plain, and rules that deny files apply to all of it.
 */
class WorkLimit {
  #left = MOST_UNITS;

  spend(units: number): void {
    this.#left -= units;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }
}

/** The same files, with every lookup counted. */
function countedFiles(files: SyncFiles, limit: WorkLimit): SyncFiles {
  const pay = <R>(units: number, lookup: () => R): R => {
    limit.spend(units);
    return lookup();
  };
  return {
    lstat: (path) => pay(1, () => files.lstat(path)),
    realpath: (path) => pay(2, () => files.realpath(path)),
    readLink: (path) => pay(1, () => files.readLink(path)),
    list: (folder, most) => pay(100, () => files.list(folder, most)),
    read: (path) => pay(10, () => files.read(path)),
  };
}

/** Looks paths up for one decision: each path, root and repository once, and rules' patterns against where paths really lead. */

import { join, relative } from 'node:path';
import type { Policy } from '../policy.js';
import { matchPath, type PathPattern, type PatternFolders, patternBases } from '../rules/path-pattern.js';
import { type RepositoryReading, readRepository } from './repository.js';
import { isWithin, type Places, type ResolvedPath, resolvePath } from './resolve-path.js';

export interface Resolver {
  resolve(path: string, cwd: string): Promise<ResolvedPath>;
  /** Inside the roots, or the folders that may be read like them. */
  isReadable(path: ResolvedPath): Promise<boolean>;
  repository(cwd: string): Promise<RepositoryReading>;
  /** Whether a pattern is about this path. `wide`: as it was written counts as well as where it leads. */
  matches(pattern: PathPattern, path: ResolvedPath, wide: boolean, isFolder: boolean): Promise<boolean>;
  /** Whether something the pattern is about may lie in this folder, or the folder in it. */
  touches(pattern: PathPattern, folder: string): Promise<boolean>;
}

export function createResolver(policy: Policy, cwd: string): Resolver {
  const resolved = new Map<string, Promise<ResolvedPath>>();
  const reals = new Map<string, Promise<string | undefined>>();
  const repositories = new Map<string, Promise<RepositoryReading>>();
  const working = [...new Set([...policy.roots, cwd])];
  const wideFolders: PatternFolders = { home: policy.home, working };
  const strictFolders: PatternFolders = { home: policy.home, working: policy.roots.slice(0, 1) };

  const realFolder = (path: string) =>
    once(reals, path, async () => {
      try {
        return await policy.files.realpath(path);
      } catch {
        return undefined;
      }
    });
  const fixed = fixedFolders(policy);
  // The roots and the folders rules name are looked up once a session: what they led to then is what was meant.
  const real = (path: string) => once(fixed, path, async () => (await realFolder(path)) ?? path);
  let known: Promise<Places> | undefined;
  const places = () => {
    known ??= Promise.all(policy.roots.map(real)).then((roots) => ({
      roots,
      files: policy.files,
      realFolder: async (folder) => (roots.includes(folder) ? folder : realFolder(folder)),
    }));
    return known;
  };

  return {
    resolve: (path, from) => once(resolved, `${from}\0${path}`, async () => resolvePath(path, from, await places())),
    isReadable: async (path) => {
      if (path.inside !== undefined) return true;
      const folders = await Promise.all((policy.readRoots ?? []).map(real));
      return folders.some((folder) => isWithin(path.real, folder));
    },
    repository: (folder) => once(repositories, folder, () => readRepository(folder, policy.files)),
    matches: async (pattern, path, wide, isFolder) => {
      const folders = wide ? wideFolders : strictFolders;
      if (wide && matchPath(pattern, path.lexical, folders, isFolder)) return true;
      if (matchPath(pattern, path.real, folders, isFolder)) return true;
      // The pattern's own folder may be reached through a link.
      for (const base of patternBases(pattern, folders)) {
        const realBase = await real(base);
        if (realBase === base || !isWithin(path.real, realBase)) continue;
        if (matchPath(pattern, join(base, relative(realBase, path.real)), folders, isFolder)) return true;
      }
      return false;
    },
    touches: async (pattern, folder) => {
      for (const base of patternBases(pattern, wideFolders)) {
        const realBase = await real(base);
        if (isWithin(realBase, folder) || isWithin(folder, realBase)) return true;
      }
      return false;
    },
  };
}

const FIXED = new WeakMap<readonly string[], Map<string, Promise<string>>>();

function fixedFolders(policy: Policy): Map<string, Promise<string>> {
  const kept = FIXED.get(policy.roots);
  if (kept !== undefined) return kept;
  const made = new Map<string, Promise<string>>();
  FIXED.set(policy.roots, made);
  return made;
}

function once<T>(kept: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const found = kept.get(key);
  if (found !== undefined) return found;
  const made = make();
  kept.set(key, made);
  return made;
}

/**
 * The PATH of every process we start: real folders only, in their order. None is relative, the home itself, or in a
 * folder that an agent works in, also by a link: there anybody's repository could name its programs like the system's.
 */

import { dirname, isAbsolute, join } from 'node:path';
import type { SyncFiles } from '../files.js';
import type { Host } from '../host.js';

/** What a shell takes if there is no PATH. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Bounds what long sessions with many folders keep. */
const MOST_KEPT = 64;
const cleaned = new WeakMap<SyncFiles, Map<string, string>>();

type Place = Pick<Host, 'env' | 'files' | 'folder'>;

/**
 * Omitted roots: the repository of the working folder. `chosen` folders stay. Each value is looked at once: a later link
 * changes nothing.
 */
export function cleanPath(
  { env, files, folder }: Place,
  roots?: readonly string[],
  chosen: readonly string[] = [],
): string {
  const key = [env.PATH ?? DEFAULT_PATH, env.HOME ?? '', ...(roots ?? ['', folder]), '', ...chosen].join('\0');
  const kept = cleaned.get(files.sync) ?? new Map<string, string>();
  cleaned.set(files.sync, kept);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const home = realOf(env.HOME ?? '', files.sync);
  // One that holds the whole home is no project: without it, the person's own programs would be missing.
  const own = findRoots({ files, folder }, roots).filter((root) => !isBelow(home ?? '/', root));
  const folders = (env.PATH ?? DEFAULT_PATH).split(':').flatMap((entry) => {
    const real = realOf(entry, files.sync);
    if (real !== undefined && chosen.includes(entry)) return [real];
    if (real === undefined || real === home || own.some((root) => isBelow(real, root))) return [];
    return [real];
  });
  if (kept.size >= MOST_KEPT) kept.clear();
  const path = [...new Set(folders)].join(':');
  kept.set(key, path);
  return path;
}

/** The real paths of the folders that agents work in. Omitted roots: the repository of the working folder. */
export function findRoots(
  { files, folder }: Pick<Host, 'files' | 'folder'>,
  roots?: readonly string[],
): readonly string[] {
  const given = (roots ?? [repositoryOf(folder, files.sync)]).map((root) => realOf(root, files.sync) ?? root);
  return [...new Set(given.flatMap((root) => [root, ...checkoutOf(root, files.sync)]))];
}

/** The checkout that a linked worktree was made from: the same repository's programs are there. */
function checkoutOf(root: string, files: SyncFiles): readonly string[] {
  try {
    const file = join(root, '.git');
    const stat = files.lstat(file);
    if (stat?.kind !== 'file' || stat.size > LONGEST_LINE) return [];
    const from = /^gitdir: (\/.+)\/\.git\/worktrees\/[^/]+\s*$/.exec(files.read(file).toString('utf8'))?.[1];
    return from === undefined ? [] : [realOf(from, files) ?? from];
  } catch {
    return [];
  }
}

const LONGEST_LINE = 8_192;

/** True if `path` is `folder` or in it. Both are real paths. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Of the folder itself, where there is none. */
function repositoryOf(folder: string, files: SyncFiles): string {
  for (let here = folder; dirname(here) !== here; here = dirname(here)) {
    if (realOf(join(here, '.git'), files) !== undefined) return here;
  }
  return folder;
}

function realOf(path: string, files: SyncFiles): string | undefined {
  if (!isAbsolute(path)) return undefined;
  try {
    return files.realpath(path);
  } catch {
    return undefined;
  }
}

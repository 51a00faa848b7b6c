/** Where the git folders of a work tree are, and which of them a box may show although they lie outside its roots. */

import { dirname, join, resolve } from 'node:path';
import type { SyncFiles } from '../../../host/files.js';
import { pointsBack } from '../../permissions/paths/repository.js';
import { isWithin } from '../../permissions/paths/resolve-path.js';

export type GitFolders = {
  /** Outside the roots, and shown because they point back to the work tree. */
  readonly shown: readonly string[];
  /** Git needs something the box does not show: there it would answer something else. */
  readonly isWhole: boolean;
};

const LARGEST_FILE = 256 * 1024;
const WHOLE: GitFolders = { shown: [], isWhole: true };
const PARTIAL: GitFolders = { shown: [], isWhole: false };

/** The work tree of `root` itself. `roots` are all folders that are shown; real paths. */
export function findGitFolders(root: string, roots: readonly string[], files: SyncFiles): GitFolders {
  try {
    const folder = findWorkTree(root, files);
    if (folder === undefined) return WHOLE;
    if (!roots.some((other) => isWithin(folder, other))) return PARTIAL;
    return lookAt(folder, roots, files);
  } catch {
    return PARTIAL;
  }
}

/** The git folders of a work tree whose top folder is shown. */
function lookAt(top: string, roots: readonly string[], files: SyncFiles): GitFolders {
  const git = gitFolderOf(top, files);
  if (git === undefined) return PARTIAL;
  const common = commonFolderOf(git, files);
  const isShown = (path: string) => roots.some((root) => isWithin(path, root));
  const outside = [...new Set([git, common])].filter((path) => !isShown(path));
  if (outside.length > 0 && !pointsBack(git, common, top, files)) return PARTIAL;
  const shown = outside.includes(common) ? [common] : outside;
  const borrowed = alternatesOf(common, files);
  // Nothing in borrowed objects says who may borrow them.
  const isWhole = borrowed.every((path) => isShown(path) || shown.some((folder) => isWithin(path, folder)));
  return { shown, isWhole };
}

/** The folder itself or one above it that git would take for the top of a work tree, or for a repository. */
export function findWorkTree(start: string, files: SyncFiles): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (files.lstat(join(folder, '.git')) !== undefined || isGitFolder(folder, files)) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Undefined if `.git` is neither a folder nor names one. */
export function gitFolderOf(top: string, files: SyncFiles): string | undefined {
  const dot = join(top, '.git');
  const found = files.lstat(dot);
  if (found === undefined) return isGitFolder(top, files) ? top : undefined;
  if (found.kind !== 'file') return files.realpath(dot);
  const named = /^gitdir: (.+?)\s*$/.exec(readSmall(dot, files) ?? '')?.[1];
  return named === undefined ? undefined : files.realpath(resolve(top, named));
}

export function commonFolderOf(git: string, files: SyncFiles): string {
  const named = readSmall(join(git, 'commondir'), files)?.trim();
  return named === undefined ? git : (files.realpath(resolve(git, named)) ?? git);
}

export function alternatesOf(common: string, files: SyncFiles): readonly string[] {
  const objects = join(common, 'objects');
  const lines = readSmall(join(objects, 'info', 'alternates'), files)?.split('\n') ?? [];
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => files.realpath(resolve(objects, line)) ?? resolve(objects, line));
}

function isGitFolder(folder: string, files: SyncFiles): boolean {
  return files.lstat(join(folder, 'HEAD')) !== undefined && files.lstat(join(folder, 'objects')) !== undefined;
}

/** Undefined if it is absent. Throws for anything that is no small file. */
function readSmall(path: string, files: SyncFiles): string | undefined {
  const stat = files.lstat(path);
  if (stat === undefined) return undefined;
  if (stat.kind !== 'file' || stat.size > LARGEST_FILE) throw new Error(`${path} is not a small file`);
  return files.read(path).toString('utf8');
}

/**
 * Decides which paths a rewind may write: those in the session's folders. A transcript may have been written by anyone,
 * and must not lead a rewind to any other file.
 */

import { join } from 'node:path';
import { isInside } from '../../config/path-within.js';
import type { SessionLayout } from '../../config/paths.js';
import type { Files } from '../../host/files.js';
import { WORKTREES_FOLDER } from '../../host/worktrees/worktree-record.js';
import { findRepository } from './git-index.js';

/** Returns the reason why a path must not be written. */
export type RefusePath = (path: string) => Promise<string | undefined>;

/** `roots`: real paths of the folders that the session works in. */
export async function refusePathsOutside(
  files: Files,
  layout: SessionLayout,
  roots: readonly string[],
): Promise<RefusePath> {
  const folders = [...roots];
  for (const root of roots) {
    const repository = await findRepository(files, root);
    // Its agents may work in worktrees of the whole repository.
    if (repository !== undefined) folders.push(join(repository.top, WORKTREES_FOLDER));
  }
  const isOurs = (path: string) => folders.some((folder) => isInside(folder, path));
  return async (path) => {
    if (path === layout.plan) return undefined;
    const git = /^(.*?)\/\.git(?:\/|$)/.exec(path);
    if (git === null) return isOurs(path) ? undefined : OUTSIDE;
    return (await isIndexOfOurs(files, path, folders)) ? undefined : GIT_OWN;
  };
}

/** The index of a repository that one of the folders is in, or that is in one of them. */
async function isIndexOfOurs(files: Files, path: string, folders: readonly string[]): Promise<boolean> {
  const top = path.replace(/\/\.git\/.*$/s, '');
  const inside = folders.some((folder) => isInside(folder, top)) ? [top] : [];
  for (const folder of [...folders, ...inside]) {
    if ((await findRepository(files, folder))?.index === path) return true;
  }
  return worktreeOf(files, path, folders);
}

/** The index of a worktree is in the main repository, next to the name of its folder. */
async function worktreeOf(files: Files, path: string, folders: readonly string[]): Promise<boolean> {
  const name = /\/\.git\/worktrees\/([^/]+)\/index$/.exec(path)?.[1];
  if (name === undefined) return false;
  for (const folder of folders) {
    if (folder.endsWith(WORKTREES_FOLDER) && (await findRepository(files, join(folder, name)))?.index === path)
      return true;
  }
  return false;
}

const OUTSIDE = 'it is outside the folders of this session';
const GIT_OWN = 'a rewind writes none of git’s own files but the index';

/** Finds the root of a repository by its `.git`. Does not run git: a repository can make git execute commands. */

import { dirname, join } from 'node:path';
import type { Host } from '../host/host.js';

/** Returns undefined outside a repository. `.git` may be a folder or a file (worktree, submodule). */
export async function findRepoRoot(host: Host, folder: string): Promise<string | undefined> {
  for (const here of foldersUpward(folder)) {
    if (await hasGit(host, here)) return here;
  }
  return undefined;
}

/** The folder, then each parent, up to the root of the file system. */
export function foldersUpward(folder: string): readonly string[] {
  const folders = [folder];
  for (let here = folder; dirname(here) !== here; here = dirname(here)) folders.push(dirname(here));
  return folders;
}

/** The folder, then each parent, up to the root of its project. Outside of that, the folder alone. */
export function foldersWithin(projectRoot: string, folder: string): readonly string[] {
  const upward = foldersUpward(folder);
  return upward.slice(0, Math.max(0, upward.indexOf(projectRoot)) + 1);
}

async function hasGit(host: Host, folder: string): Promise<boolean> {
  try {
    const found = await host.files.stat(join(folder, '.git'));
    return found?.kind === 'folder' || found?.kind === 'file';
  } catch {
    // A parent that can't be read is not our repository.
    return false;
  }
}

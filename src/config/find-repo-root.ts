/** The root of the repository a folder is in, found by its `.git`; git itself is not asked (the repo could make it run things). */

import { dirname, join } from 'node:path';
import type { Host } from '../host/host.js';

/** Undefined outside any repository. A `.git` file (worktree, submodule) counts as much as a folder. */
export async function findRepoRoot(host: Host, folder: string): Promise<string | undefined> {
  for (const here of foldersUpward(folder)) {
    if (await hasGit(host, here)) return here;
  }
  return undefined;
}

/** The folder itself, then each parent, up to the root of the file system. */
export function foldersUpward(folder: string): readonly string[] {
  const folders = [folder];
  for (let here = folder; dirname(here) !== here; here = dirname(here)) folders.push(dirname(here));
  return folders;
}

async function hasGit(host: Host, folder: string): Promise<boolean> {
  try {
    const found = await host.files.stat(join(folder, '.git'));
    return found?.kind === 'folder' || found?.kind === 'file';
  } catch {
    // A parent we may not look into is not our repository.
    return false;
  }
}

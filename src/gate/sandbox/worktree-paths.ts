/** What of the git folder a commit in a worktree of ours needs to write, and what beside it must stay (GT-22). */

import { dirname, join } from 'node:path';
import type { Files } from '../../host/files.js';
import type { Needs } from './confinement.js';

export type OwnWorktree = {
  /** The repository's `.git` folder: absolute, links resolved. */
  readonly gitFolder: string;
  /** The name of the worktree's record in `.git/worktrees`. */
  readonly name: string;
  readonly branch: string;
};

/**
 * Git changes a ref by making a lock file beside it and renaming that, so the folder around it has to be writable; the
 * other branches in that folder are kept as they are one by one. Both folders must exist: the first commit of a branch
 * made with git has seen to it.
 */
export async function worktreePaths(
  files: Files,
  { gitFolder, name, branch }: OwnWorktree,
): Promise<Required<Pick<Needs, 'writable' | 'readOnly'>>> {
  const ref = join(gitFolder, 'refs', 'heads', branch);
  const log = join(gitFolder, 'logs', 'refs', 'heads', branch);
  const wanted = [join(gitFolder, 'objects'), join(gitFolder, 'worktrees', name), dirname(ref), dirname(log)];
  const writable: string[] = [];
  for (const path of wanted) if ((await files.lstat(path))?.kind === 'folder') writable.push(path);
  const readOnly: string[] = [];
  for (const own of [ref, log]) {
    const folder = dirname(own);
    if (!writable.includes(folder)) continue;
    for (const entry of await files.list(folder)) {
      const path = join(folder, entry.name);
      if (path !== own && entry.kind !== 'link' && !entry.name.endsWith('.lock')) readOnly.push(path);
    }
  }
  return { writable, readOnly };
}

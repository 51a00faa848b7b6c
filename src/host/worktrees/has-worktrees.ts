/**
 * Checks without running git whether a repository may have worktrees of ours: most have none, and start-up must not
 * wait.
 */

import { dirname, join, resolve } from 'node:path';
import type { Host } from '../host.js';
import { recordsFolder } from './worktree-record.js';

/** `top`: the folder with its `.git`. Returns false if it can't be read. */
export async function hasWorktrees({ files }: Host, top: string): Promise<boolean> {
  try {
    const gitDir = await gitFolderOf(files, join(top, '.git'));
    const shared = (await readSmall(files, join(gitDir, 'commondir'))) ?? '.';
    const records = recordsFolder(resolve(gitDir, shared));
    if ((await files.list(records).catch(() => [])).length > 0) return true;
    // Leftovers of an apply are next to them.
    return (await files.list(dirname(records))).some(({ kind, name }) => kind === 'file' && name.endsWith('.json'));
  } catch {
    return false;
  }
}

/** In a linked worktree or a submodule `.git` is a file that names the folder. */
async function gitFolderOf(files: Host['files'], path: string): Promise<string> {
  if ((await files.stat(path))?.kind !== 'file') return path;
  const named = /^gitdir: (.+)$/m.exec((await readSmall(files, path)) ?? '')?.[1] ?? '.';
  return resolve(dirname(path), named);
}

async function readSmall(files: Host['files'], path: string): Promise<string | undefined> {
  const size = (await files.stat(path))?.size;
  return size === undefined || size > MOST_BYTES ? undefined : (await files.read(path)).toString('utf8').trim();
}

const MOST_BYTES = 64 * 1024;

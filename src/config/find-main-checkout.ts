/**
 * Finds the main checkout of a worktree from git's own files. Does not run git: a repository can make git execute
 * commands, and this is needed before trust is known. Notes of a child in a worktree are stored in the main checkout (ME-6).
 */

import { basename, dirname, join, resolve } from 'node:path';
import type { Files } from '../host/files.js';
import type { Host } from '../host/host.js';
import { readRegularFile } from '../host/read-regular-file.js';

/**
 * Returns the real path of `top` for anything but a linked worktree: a main checkout, a submodule, a folder without a
 * repository. Also for a worktree without a main checkout (of a bare repository), and for a folder that only claims to be
 * a worktree: the repository it names must list it.
 */
export async function findMainCheckout({ files }: Pick<Host, 'files'>, top: string): Promise<string> {
  const own = await files.realpath(top);
  return (await mainOf(files, own).catch(() => undefined)) ?? own;
}

async function mainOf(files: Files, own: string): Promise<string | undefined> {
  const pointer = await readLine(files, join(own, '.git'));
  const [, named] = /^gitdir: (.+)$/.exec(pointer ?? '') ?? [];
  if (named === undefined) return undefined;
  const gitDir = await files.realpath(resolve(own, named));
  const shared = await readLine(files, join(gitDir, 'commondir'));
  if (shared === undefined) return undefined;
  const commonDir = await files.realpath(resolve(gitDir, shared));
  if (dirname(gitDir) !== join(commonDir, 'worktrees') || basename(commonDir) !== '.git') return undefined;
  // The worktree's path in the repository. A copied or forged `.git` must not lead to another project's memory.
  const known = await readLine(files, join(gitDir, 'gitdir'));
  if (known === undefined || (await files.realpath(resolve(gitDir, known))) !== join(own, '.git')) return undefined;
  return dirname(commonDir);
}

const MOST_BYTES = 16 * 1024;

async function readLine(files: Files, path: string): Promise<string | undefined> {
  const read = await readRegularFile(files, path, { most: MOST_BYTES });
  return read.kind === 'read' ? read.bytes.toString('utf8').replace(/\r?\n$/, '') : undefined;
}

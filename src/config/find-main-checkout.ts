/**
 * Finds the main checkout of a worktree by the files git keeps. Does not run git: a repository can make git execute
 * commands, and this is asked before trust. What a child learns in a worktree is kept in the main checkout (ME-6).
 */

import { basename, dirname, join, resolve } from 'node:path';
import type { Files } from '../host/files.js';
import type { Host } from '../host/host.js';
import { readRegularFile } from '../host/read-regular-file.js';

/**
 * Returns `top` itself, as a real path, for anything but a linked worktree: a main checkout, a submodule, a folder
 * without a repository. So it does for one without a main checkout (a bare repository's), and for a folder that only
 * says it is a worktree: the repository it names must know it.
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
  // Where the repository has this worktree. A copied or made-up `.git` must not lead to another project's memory.
  const known = await readLine(files, join(gitDir, 'gitdir'));
  if (known === undefined || (await files.realpath(resolve(gitDir, known))) !== join(own, '.git')) return undefined;
  return dirname(commonDir);
}

const MOST_BYTES = 16 * 1024;

async function readLine(files: Files, path: string): Promise<string | undefined> {
  const read = await readRegularFile(files, path, { most: MOST_BYTES });
  return read.kind === 'read' ? read.bytes.toString('utf8').replace(/\r?\n$/, '') : undefined;
}

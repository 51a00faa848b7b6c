/** Keeps paths of a checkout out of version control, by the repository's own list of what git ignores. Does not run git. */

import { join, resolve } from 'node:path';
import type { Host } from '../host.js';
import { readPlain } from '../read-plain.js';
import { inRepository } from '../worktrees/in-repository.js';
import { addExcludeLines } from '../worktrees/making/exclude-line.js';

/**
 * `top`: the top of a main checkout or a submodule, not of a linked worktree. Gives a note where it can't; without a
 * repository there is nothing to do.
 */
export async function keepOutOfGit(host: Host, top: string, lines: readonly string[]): Promise<string | undefined> {
  const gitDir = await findGitDir(host, top).catch(() => undefined);
  if (gitDir === undefined) return undefined;
  const done = await inRepository(host, gitDir, () => addExcludeLines(host, gitDir, lines));
  return done.ok ? done.value : `git may show ${lines.join(', ')} as untracked: ${done.reason}`;
}

async function findGitDir({ files }: Host, top: string): Promise<string | undefined> {
  const path = join(top, '.git');
  const found = await files.stat(path);
  if (found?.kind === 'folder') return files.realpath(path);
  if (found?.kind !== 'file') return undefined;
  const read = await readPlain(files, path, { most: 16 * 1024 });
  const [, named] = (read.kind === 'read' && /^gitdir: (.+?)\r?\n?$/.exec(read.bytes.toString('utf8'))) || [];
  return named === undefined ? undefined : files.realpath(resolve(top, named));
}

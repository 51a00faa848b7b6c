/** Excludes paths of a checkout from version control, in the repository's `info/exclude`. Does not run git. */

import { join, resolve } from 'node:path';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Host } from '../host.js';
import { readRegularFile } from '../read-regular-file.js';
import { addExcludeLines } from '../worktrees/making/exclude-line.js';
import { withRepositoryLock } from '../worktrees/repository-lock.js';

/** `top`: of a checkout. Returns a note if it fails; without a repository there is nothing to do. Never rejects. */
export async function excludeFromGit(host: Host, top: string, lines: readonly string[]): Promise<string | undefined> {
  const gitDir = await findGitDir(host, top).catch(() => undefined);
  if (gitDir === undefined) return undefined;
  const describe = (reason: string) => `git may show ${lines.join(', ')} as untracked: ${reason}`;
  try {
    const done = await withRepositoryLock(host, gitDir, () => addExcludeLines(host, gitDir, lines));
    return done.ok ? done.value : describe(done.reason);
  } catch (error) {
    // Without write access, there is no lock either.
    return describe(reasonOf(error));
  }
}

/** The git folder whose exclude file applies: all worktrees share it, also those of a bare repository. */
async function findGitDir({ files }: Host, top: string): Promise<string | undefined> {
  const path = join(top, '.git');
  const found = await files.stat(path);
  if (found?.kind === 'folder') return files.realpath(path);
  if (found?.kind !== 'file') return undefined;
  const [, named] = /^gitdir: (.+?)\r?\n?$/.exec((await readSmall(files, path)) ?? '') ?? [];
  if (named === undefined) return undefined;
  const own = await files.realpath(resolve(top, named));
  const shared = (await readSmall(files, join(own, 'commondir')))?.replace(/\r?\n$/, '');
  return files.realpath(resolve(own, shared ?? '.'));
}

async function readSmall(files: Host['files'], path: string): Promise<string | undefined> {
  const read = await readRegularFile(files, path, { most: 16 * 1024 });
  return read.kind === 'read' ? read.bytes.toString('utf8') : undefined;
}

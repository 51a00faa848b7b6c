/** Adds local memory folders to `.git/info/exclude`, so that they are not committed by accident (ME-5). */

import { join, relative } from 'node:path';
import { excludeFromGit } from '../../host/git/exclude-from-git.js';
import { openGit } from '../../host/git/git.js';
import type { Host } from '../../host/host.js';
import { lineFor } from '../../host/worktrees/making/exclude-line.js';
import { joinSome } from '../../protocol/text/one-line.js';
import type { MemoryFolder } from './find-memory.js';

/** `root`: the main checkout, which is trusted. Returns a note if it fails, or does not help. */
export async function keepMemoryOut(host: Host, root: string, place: MemoryFolder): Promise<string | undefined> {
  if (place.snapshot === undefined) return undefined;
  const own = [place.parent, join(place.snapshot.parent, '.coppice')];
  const inside = own.map((folder) => relative(root, folder)).filter((path) => !path.startsWith('..'));
  const note = await excludeFromGit(
    host,
    root,
    inside.map((path) => `${lineFor(path)}/`),
  );
  return note ?? (inside.length === 0 ? undefined : noteCommitted(host, root, inside));
}

/**
 * Git treats ignored files as expendable: a pull with a file of the same name silently replaces them. This can't be
 * prevented, so the user is warned.
 */
async function noteCommitted(host: Host, root: string, paths: readonly string[]): Promise<string | undefined> {
  const git = await openGit(host, root, { trusted: true });
  const { ok, text } = await git(['ls-files', '-z', '--', ...paths.map((path) => `:(top,literal)${path}`)]);
  const files = text.split('\0').filter((name) => name !== '');
  // Without a repository there is nothing to report.
  if (!ok || files.length === 0) return undefined;
  const committed = paths.filter((path) => files.some((name) => name.startsWith(`${path}/`) || name === path));
  const named = files.map((name) => JSON.stringify(name));
  return `${joinSome(named, MOST_NAMED)}: in version control, so a pull or a checkout replaces these notes without asking, and others can write them. Check them, then run git rm -r --cached ${committed.join(' ')}, and commit that`;
}

const MOST_NAMED = 3;

/** What is this machine's alone is never committed by accident: lines in `.git/info/exclude` (ME-5). */

import { join, relative } from 'node:path';
import { excludeFromGit } from '../../host/git/exclude-from-git.js';
import { openGit } from '../../host/git/git.js';
import type { Host } from '../../host/host.js';
import { lineFor } from '../../host/worktrees/making/exclude-line.js';
import type { MemoryFolder } from './find-memory.js';

/** `root`: the main checkout, which is trusted. Gives a note where it can't, or where it does not help. */
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
 * Git takes what it ignores for expendable: a pull that brings a file of the same name replaces it without a word. That
 * can't be kept from happening, but it can be said that the notes are not this machine's alone.
 */
async function noteCommitted(host: Host, root: string, paths: readonly string[]): Promise<string | undefined> {
  const git = await openGit(host, root, { trusted: true });
  const { ok, text } = await git(['ls-files', '-z', '--', ...paths.map((path) => `:(top,literal)${path}`)]);
  const files = text.split('\0').filter((name) => name !== '');
  // Without a repository there is nothing to say.
  if (!ok || files.length === 0) return undefined;
  const committed = paths.filter((path) => files.some((name) => name.startsWith(`${path}/`) || name === path));
  const named = files.slice(0, MOST_NAMED).map((name) => JSON.stringify(name));
  const all = `${named.join(', ')}${files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : ''}`;
  return `${all}: in version control, so a pull or a checkout replaces these notes without asking, and others can write them. Look at them, then run git rm -r --cached ${committed.join(' ')}, and commit that`;
}

const MOST_NAMED = 3;

/** What is this machine's alone is never committed by accident: lines in `.git/info/exclude` (ME-5). */

import { join, relative } from 'node:path';
import { keepOutOfGit } from '../../host/git/keep-out-of-git.js';
import type { Host } from '../../host/host.js';
import { lineFor } from '../../host/worktrees/making/exclude-line.js';
import type { MemoryPlace } from './find-memory.js';

/** `root`: the main checkout. Gives a note where it can't. */
export async function keepMemoryOut(host: Host, root: string, place: MemoryPlace): Promise<string | undefined> {
  if (place.snapshot === undefined) return undefined;
  const own = [place.parent, join(place.snapshot.parent, '.coppice')];
  const inside = own.map((folder) => relative(root, folder)).filter((path) => !path.startsWith('..'));
  return keepOutOfGit(
    host,
    root,
    inside.map((path) => `${lineFor(path)}/`),
  );
}

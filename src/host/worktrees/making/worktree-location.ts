/** The location of a new worktree: in its checkout's folder for worktrees, never through a link and never outside (WT-1). */

import { basename, join, sep } from 'node:path';
import type { Result } from '../../../protocol/result.js';
import type { Checkout } from '../../git/checkout.js';
import type { Host } from '../../host.js';
import { openRecords, WORKTREES_FOLDER } from '../worktree-record.js';

export type WorktreeLocation = {
  readonly path: string;
  /** The checkout it is made in. */
  readonly home: string;
  /** True if git ignores it there. */
  readonly isIgnored: boolean;
};

export type FoundLocation = Result<{ readonly place: WorktreeLocation }>;

/** Returns the location for a free name. Changes nothing. */
export async function findLocation(host: Host, checkout: Checkout, name: string): Promise<FoundLocation> {
  const home = await homeOf(host, checkout);
  const path = join(home, WORKTREES_FOLDER, name);
  const taken = await reasonTaken(host, checkout, { home, name, path });
  if (taken !== undefined) return { ok: false, reason: taken };
  const ignored = await checkout.git(['check-ignore', '--quiet', '--', `${WORKTREES_FOLDER}/${name}/`], { cwd: home });
  // 0: ignored; 1: not ignored. Anything else: the folder belongs to another repository.
  if (!ignored.ok && ignored.code !== 1) return { ok: false, reason: `${path} can't be used: ${ignored.reason}` };
  return { ok: true, place: { path, home, isIgnored: ignored.ok } };
}

type Candidate = { readonly home: string; readonly name: string; readonly path: string };

/** Returns why nothing can be created there; undefined if it can. */
export async function reasonTaken(host: Host, checkout: Checkout, candidate: Candidate): Promise<string | undefined> {
  const { files } = host;
  const { home, name, path } = candidate;
  for (const folder of foldersOf(home)) {
    const found = await files.lstat(folder);
    if (found === undefined) break;
    if (found.kind === 'link') return `${folder} is a link: worktrees are made in a plain folder, remove the link`;
    if (found.kind !== 'folder') return `${folder} is not a folder: worktrees are made there`;
    const real = await files.realpath(folder);
    if (!real.startsWith(home + sep)) return `${folder} leads to ${real}, outside of ${home}`;
  }
  const record = await openRecords(host, checkout.commonDir).read(name);
  if (record !== undefined) return `there is a worktree named ${name} already (${record.path}): choose another name`;
  const there = await files.lstat(path);
  if (there === undefined) return undefined;
  return `${path} exists already${there.kind === 'link' ? ' (a link)' : ''}: choose another name, or remove it`;
}

/** Creates the parent folder, following no link, and returns the folders that did not exist. */
export async function createLocation(host: Host, { home }: WorktreeLocation): Promise<readonly string[]> {
  const made: string[] = [];
  let held = await host.files.holdFolder(home);
  try {
    for (const folder of foldersOf(home)) {
      const name = basename(folder);
      if ((await held.lstat(name)) === undefined) made.push(folder);
      const inner = await held.makeFolder(name);
      await held.close();
      held = inner;
    }
  } finally {
    await held.close();
  }
  return made;
}

/** New worktrees are made next to one of ours, not inside: it may be removed. */
async function homeOf(host: Host, { top, gitDir, commonDir }: Checkout): Promise<string> {
  if (gitDir === commonDir) return top;
  const { records } = await openRecords(host, commonDir).list();
  const own = records.find((record) => record.gitDir === gitDir);
  const end = own === undefined ? undefined : `${sep}${join(WORKTREES_FOLDER, own.name)}`;
  if (own === undefined || end === undefined || !own.path.endsWith(end)) return top;
  const home = own.path.slice(0, -end.length);
  const real = await host.files.realpath(home).catch(() => undefined);
  return real === home ? home : top;
}

function foldersOf(home: string): readonly string[] {
  const parts = WORKTREES_FOLDER.split('/');
  return parts.map((_, index) => join(home, ...parts.slice(0, index + 1)));
}

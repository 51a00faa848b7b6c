/** Folders that a worktree shares with its checkout by a link, such as `node_modules` (WT-3). */

import { dirname, isAbsolute, join, sep } from 'node:path';
import type { Result } from '../../../protocol/result.js';
import type { Checkout } from '../../git/checkout.js';
import type { Host } from '../../host.js';

/** `path` is relative to the top, `target` is real. */
export type FolderLink = { readonly path: string; readonly target: string };

export type PlannedLinks = Result<{ readonly links: readonly FolderLink[]; readonly notes: readonly string[] }>;

/** Refuses a name that leads elsewhere; a folder that does not exist, or that git tracks, is left out with a note. */
export async function planLinks(
  host: Host,
  checkout: Checkout,
  home: string,
  names: readonly string[],
): Promise<PlannedLinks> {
  const links: FolderLink[] = [];
  const notes: string[] = [];
  for (const path of new Set(names.map((name) => name.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '')))) {
    if (!isInside(path)) {
      const reason = `${JSON.stringify(path)} can't be linked: name folders inside the repository, without ".."`;
      return { ok: false, reason: `worktree.symlinkDirectories: ${reason}` };
    }
    const found = await findFolder(host, checkout, home, path);
    if (found.ok) links.push({ path, target: found.target });
    else notes.push(`worktree.symlinkDirectories: ${path} was not linked: ${found.reason}`);
  }
  return { ok: true, links, notes };
}

function isInside(path: string): boolean {
  const parts = path.split('/');
  return !isAbsolute(path) && !path.includes('\0') && !parts.some((part) => ['', '.', '..', '.git'].includes(part));
}

type Target = Result<{ readonly target: string }>;

async function findFolder(host: Host, { git, top }: Checkout, home: string, path: string): Promise<Target> {
  const { files } = host;
  if ((await files.stat(join(top, path)))?.kind !== 'folder') return { ok: false, reason: 'there is no such folder' };
  const target = await files.realpath(join(top, path));
  // In one of our worktrees it is itself such a link, into the checkout where that one was made.
  if (!target.startsWith(top + sep) && !target.startsWith(home + sep)) {
    return { ok: false, reason: `it leads to ${target}, outside of the repository` };
  }
  const tracked = await git(['ls-files', '-z', '--', `:(top,literal)${path}`]);
  if (!tracked.ok) return { ok: false, reason: tracked.reason };
  return tracked.text === '' ? { ok: true, target } : { ok: false, reason: 'git has files in it' };
}

/** Returns a note if the path exists, or its parent folder does not. */
export async function placeLink(
  host: Host,
  worktree: string,
  { path, target }: FolderLink,
): Promise<string | undefined> {
  const place = join(worktree, path);
  const parent = await host.files.realpath(dirname(place)).catch(() => undefined);
  if (parent !== dirname(place)) return `${path} was not linked: ${dirname(place)} is not a folder of the worktree`;
  if ((await host.files.lstat(place)) !== undefined) return `${path} was not linked: it is there already`;
  await host.files.makeLink(target, place);
  return undefined;
}

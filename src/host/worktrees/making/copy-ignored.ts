/**
 * Ignored files that are copied into a worktree, such as `.env`: those that match `.worktreeinclude`, which is written like
 * `.gitignore` (WT-3). Regular files only; no links are followed.
 */

import { basename, dirname, join } from 'node:path';
import { reasonOf } from '../../../protocol/reason-of.js';
import type { Result } from '../../../protocol/result.js';
import type { HeldFile, HeldFolder } from '../../files.js';
import type { Checkout } from '../../git/checkout.js';
import type { Git } from '../../git/git.js';
import { splitNul } from '../../git/snapshot.js';
import type { Host } from '../../host.js';
import { sha256Of } from '../work/placed-work.js';
import { WORKTREES_FOLDER } from '../worktree-record.js';

const LIST = '.worktreeinclude';
const MOST_FILES = 10_000;

export type PlannedCopies = Result<{ readonly paths: readonly string[]; readonly notes: readonly string[] }>;

/** Changes nothing. Too many files are refused, because a part of them would be arbitrary. */
export async function planCopies(host: Host, { git, top }: Checkout, maxBytes: number): Promise<PlannedCopies> {
  const list = await host.files.lstat(join(top, LIST));
  if (list === undefined) return { ok: true, paths: [], notes: [] };
  if (list.kind !== 'file') return { ok: true, paths: [], notes: [`${LIST} is not a plain file: nothing was copied`] };
  const named = await git(['ls-files', '--others', '--ignored', `--exclude-from=${join(top, LIST)}`, '-z']);
  if (!named.ok) return { ok: false, reason: `${LIST} can't be used: ${named.reason}` };
  const ignored = await findIgnored(git, splitNul(named.stdout));
  const paths: string[] = [];
  const notes: string[] = [];
  let bytes = 0;
  for (const path of ignored.filter((path) => !path.startsWith(`${WORKTREES_FOLDER}/`) && !path.endsWith('/'))) {
    const found = await host.files.lstat(join(top, path));
    if (found?.kind !== 'file') notes.push(`${LIST}: ${path} was not copied: it is not a plain file`);
    else paths.push(path);
    bytes += found?.size ?? 0;
  }
  if (bytes <= maxBytes && paths.length <= MOST_FILES) return { ok: true, paths, notes };
  const most = `${maxBytes} bytes (setting worktree.maxOverlayBytes) or ${MOST_FILES} files`;
  return { ok: false, reason: `${LIST} names more than ${most}: name less there` };
}

/** Returns the paths that git ignores in this checkout. */
export async function findIgnored(git: Git, paths: readonly (Buffer | string)[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const input = Buffer.concat(paths.flatMap((path) => [Buffer.from(path), Buffer.from([0])]));
  const checked = await git(['check-ignore', '-z', '--stdin'], { input });
  // Git exits with 1 if it ignores none.
  if (!checked.ok && checked.code !== 1) throw new Error(checked.reason);
  return splitNul(checked.stdout).map((path) => path.toString('utf8'));
}

export type Hashed = Result<{ readonly sha256: string }>;

export async function hashOf(host: Host, top: string, path: string, most: number): Promise<Hashed> {
  try {
    return { ok: true, sha256: sha256Of((await readInside(host, top, path, most)).bytes) };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
}

/** Returns a note if it can't be copied or has changed. */
export async function placeCopy(
  host: Host,
  top: string,
  worktree: string,
  { path, sha256: hash, most }: { readonly path: string; readonly sha256: string; readonly most: number },
): Promise<string | undefined> {
  try {
    const { bytes, mode } = await readInside(host, top, path, most);
    if (sha256Of(bytes) !== hash) return `${path} was not copied: it changed in between`;
    await inFolderOf(host, worktree, path, 'make', (folder) =>
      folder.replace(basename(path), bytes, { mode: mode & 0o777, was: 'nothing' }),
    );
    return undefined;
  } catch (error) {
    return `${path} was not copied: ${reasonOf(error)}`;
  }
}

function readInside(host: Host, top: string, path: string, most: number) {
  return inFolderOf(host, top, path, 'enter', async (folder) => {
    const file: HeldFile = await folder.openRead(basename(path));
    try {
      const { kind, size, mode } = await file.stat();
      if (kind !== 'file' || size > most) throw new Error('it is not a plain file of moderate size');
      return { bytes: await file.read(0, size), mode };
    } finally {
      await file.close();
    }
  });
}

/** Enters folder by folder, so that no link is followed. */
async function inFolderOf<T>(
  host: Host,
  top: string,
  path: string,
  how: 'enter' | 'make',
  work: (folder: HeldFolder) => Promise<T>,
): Promise<T> {
  let held = await host.files.holdFolder(top);
  try {
    for (const name of dirname(path) === '.' ? [] : dirname(path).split('/')) {
      const inner = how === 'make' ? await held.makeFolder(name) : await held.enter(name);
      await held.close();
      held = inner;
    }
    return await work(held);
  } finally {
    await held.close();
  }
}

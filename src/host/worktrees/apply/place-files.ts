/** Places the files of a merge into a checkout: complete files are prepared next to it, then moved into place. */

import { dirname, join } from 'node:path';
import type { Result } from '../../../protocol/result.js';
import { errorCode, type Files } from '../../files.js';
import type { Checkout } from '../../git/checkout.js';
import type { Host } from '../../host.js';
import { type Change, changedMeanwhile, isSame, outsideSparse, type Seen } from './plan-changes.js';
import type { ApplyJournal } from './read-journal.js';
import { type ApplyStep, fingerprint, newPath, oldPath } from './restore-files.js';

export type Staged = Result<{ readonly steps: readonly ApplyStep[]; readonly folders: readonly string[] }>;

export type TreeChange = { readonly from: string; readonly to: string /** Holds `from`. */; readonly index: string };

/**
 * Chooses a folder on the same file system as the checkout, so that a rename suffices. Inside the checkout, it ignores
 * itself.
 */
export async function chooseFolder({ files }: Host, { gitDir, top }: Checkout, id: string): Promise<string> {
  const [own, there] = await Promise.all([files.stat(gitDir), files.stat(top)]);
  const isNear = deviceOf(own?.identity) === deviceOf(there?.identity);
  return isNear ? join(gitDir, `coppice-apply-${id}`) : join(top, `.coppice-apply-${id}`);
}

function deviceOf(identity = ''): string {
  return identity.slice(0, identity.indexOf(':'));
}

/** Lets git write the new files as it would in the checkout: line ends, filters, links, permissions. */
export async function stageFiles(
  host: Host,
  { git, gitDir, top }: Checkout,
  folder: string,
  { from, to, index }: TreeChange,
  changes: readonly Change[],
): Promise<Staged> {
  const { files } = host;
  const drafts = join(folder, 'new');
  await files.makeFolder(drafts, 0o700);
  await files.makeFolder(join(folder, 'old'), 0o700);
  await files.create(join(folder, '.gitignore'), '*\n');
  const own = join(folder, 'index');
  await files.create(own, await files.read(index));
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: drafts, GIT_INDEX_FILE: own };
  const written = await git(['read-tree', '-m', '-u', from, to], { cwd: drafts, env });
  if (!written.ok) return { ok: false, reason: `the new files can't be written: ${written.reason}` };
  const steps: ApplyStep[] = [];
  for (const { path, how } of changes) {
    const now = how === 'deleted' ? undefined : await fingerprint(files, newPath({ folder }, path));
    if (how !== 'deleted' && now === undefined) return { ok: false, reason: outsideSparse(path) };
    const isFolder = how === 'added' && (await files.lstat(join(top, path)))?.kind === 'folder';
    if (isFolder) steps.push({ path, was: 'folder' });
    const was = how === 'added' ? {} : { was: 'file' as const };
    steps.push({ path, ...was, ...(now === undefined ? {} : { now }) });
  }
  // Deletions first; then folders that are replaced by files; then new files.
  const ordered = [...steps].sort((a, b) => rankOf(a) - rankOf(b));
  return { ok: true, steps: ordered, folders: await missingFolders(files, top, ordered) };
}

function rankOf({ was, now }: ApplyStep): number {
  return now !== undefined ? 2 : was === 'folder' ? 1 : 0;
}

async function missingFolders(files: Files, top: string, steps: readonly ApplyStep[]): Promise<readonly string[]> {
  const missing = new Set<string>();
  for (const { path, now } of steps) {
    if (now === undefined) continue;
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      if ((await files.lstat(join(top, folder)))?.kind !== 'folder') missing.add(folder);
    }
  }
  return [...missing].sort((a, b) => a.length - b.length);
}

/** Throws if anything differs from what was seen: the caller then restores what was done so far. */
export async function placeFiles({ files }: Host, journal: ApplyJournal, seen: Seen): Promise<void> {
  const { top, steps } = journal;
  for (const [path, was] of seen) {
    if (!isSame(was, await files.lstat(join(top, path)))) throw new Error(changedMeanwhile(path));
  }
  for (const [number, { path, was, now }] of steps.entries()) {
    const at = join(top, path);
    if (was !== undefined) {
      const old = oldPath(journal, number);
      await files.rename(at, old);
      const isAsSeen = was === 'folder' ? await isEmpty(files, old) : isSame(seen.get(path), await files.lstat(old));
      if (!isAsSeen) throw new Error(changedMeanwhile(path));
    }
    if (now !== undefined) await place(files, top, newPath(journal, path), path);
  }
}

/** Never overwrites anything that was created there since. */
async function place(files: Files, top: string, draft: string, path: string): Promise<void> {
  const at = join(top, path);
  const folder = dirname(at);
  await files.makeFolder(folder).catch((error) => {
    throw ['EEXIST', 'ENOTDIR'].includes(errorCode(error) ?? '') ? new Error(changedMeanwhile(path)) : error;
  });
  if ((await files.realpath(folder)) !== folder) throw new Error(changedMeanwhile(path));
  try {
    await files.link(draft, at);
    await files.remove(draft);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw new Error(changedMeanwhile(path));
    // Hard links are not supported here: a rename after a check is the next best.
    if ((await files.lstat(draft)) === undefined) throw error;
    if ((await files.lstat(at)) !== undefined) throw new Error(changedMeanwhile(path));
    await files.rename(draft, at);
  }
}

async function isEmpty(files: Files, folder: string): Promise<boolean> {
  for (const { name, kind } of await files.list(folder)) {
    if (kind !== 'folder' || !(await isEmpty(files, join(folder, name)))) return false;
  }
  return true;
}

/** Like git, removes a folder with its last file, except one that is a working folder. */
export async function removeEmptied(files: Files, { top, prefix }: Checkout, steps: readonly ApplyStep[]) {
  for (const { path, now } of steps) {
    if (now !== undefined) continue;
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      if (folder === prefix || prefix.startsWith(`${folder}/`)) break;
      const isGone = await files.removeFolder(join(top, folder)).then(
        () => true,
        () => false,
      );
      if (!isGone) break;
    }
  }
}

/**
 * The journal of an apply: its planned changes to a checkout, on disk before it begins. If it is cut off (kill -9, power
 * loss), the next apply or the next start restores everything. Files that the user changed since are left and reported.
 *
 * Files are replaced by renames only: the old one is moved to `old/<number>` in our folder, then the new one, prepared in
 * `new/`, takes its name. So a file is the old one, absent or the new one, never a part.
 */

import { join } from 'node:path';
import { reasonOf } from '../../../protocol/reason-of.js';
import { errorCode, type Files } from '../../files.js';
import type { Checkout } from '../../git/checkout.js';
import type { Host } from '../../host.js';
import { withRepositoryLock } from '../repository-lock.js';
import { type ApplyJournal, readJournal } from './read-journal.js';
import { restoreFiles } from './restore-files.js';

export async function writeJournal({ files }: Host, commonDir: string, journal: ApplyJournal): Promise<void> {
  const folder = join(commonDir, 'coppice');
  await files.makeFolder(folder, 0o700);
  await files.replace(fileOf(commonDir, journal.id), `${JSON.stringify(journal)}\n`);
  await files.syncFolder(folder);
}

/** Removes temporary files of the apply, then the journal. */
export async function closeJournal(host: Host, commonDir: string, journal: ApplyJournal): Promise<void> {
  await removeOwnFolder(host.files, journal.folder);
  await host.files.remove(journal.index);
  await host.files.remove(fileOf(commonDir, journal.id));
}

function fileOf(commonDir: string, id: string): string {
  return join(commonDir, 'coppice', `applying-${id}.json`);
}

export type RolledBack = {
  /** Files that others changed since, left unchanged. */
  readonly left: readonly string[];
};

/** Restores everything. Throws if it can't: the journal stays, and the next attempt uses it. */
export async function rollBack(host: Host, checkout: Checkout, journal: ApplyJournal): Promise<RolledBack> {
  const { git, commonDir } = checkout;
  if (journal.stage === 'placed') {
    await closeJournal(host, commonDir, journal);
    return { left: [] };
  }
  const left = journal.stage === 'staging' ? [] : await restoreAll(host, commonDir, journal);
  if (left.length === 0 && journal.backup !== undefined) {
    const { ref, commit } = journal.backup;
    await git(['update-ref', '-d', ref, commit]);
  }
  await closeJournal(host, commonDir, journal);
  return { left };
}

async function restoreAll(host: Host, commonDir: string, journal: ApplyJournal): Promise<readonly string[]> {
  if ((await host.files.lstat(journal.folder)) === undefined) throw new Error(`${journal.folder} is not there`);
  const left = await restoreFiles(host, journal);
  // Only the cleanup remains. On a full disk, doing it is the only way to record that.
  await writeJournal(host, commonDir, { ...journal, stage: 'placed' }).catch(() => {});
  return left;
}

/** Returns lines for the user. Takes the repository's lock, so the caller must not hold it. */
export async function recoverApplies(host: Host, target: Checkout): Promise<readonly string[]> {
  await tidySnapshots(host, target.gitDir).catch(() => {});
  if ((await journalsOf(host, target.commonDir)).length === 0) return [];
  const done = await withRepositoryLock(host, target.commonDir, () => recoverUnderLock(host, target));
  return done.ok ? done.value.lines : [done.reason];
}

/** Called under the repository's lock: no apply is running, so every journal is one that was cut off. */
export async function recoverUnderLock(host: Host, target: Checkout): Promise<Recovered> {
  const lines: string[] = [];
  let ok = true;
  for (const id of await journalsOf(host, target.commonDir)) {
    try {
      const journal = await readJournal(host, target, fileOf(target.commonDir, id), id);
      const { left } = await rollBack(host, target, journal);
      lines.push(...describe(journal, left));
    } catch (error) {
      ok = false;
      lines.push(`${fileOf(target.commonDir, id)}: an apply was cut off and can't be undone: ${reasonOf(error)}`);
    }
  }
  return { ok, lines };
}

/** `ok`: everything that was cut off is restored. */
export type Recovered = { readonly ok: boolean; readonly lines: readonly string[] };

/** Removes the index that a killed snapshot left. No snapshot takes this long. */
async function tidySnapshots({ files, clock }: Host, gitDir: string): Promise<void> {
  for (const { name } of await files.list(gitDir)) {
    if (!name.startsWith('coppice-index-')) continue;
    const at = await files.lstat(join(gitDir, name));
    if (at !== undefined && clock.now() - at.mtimeMs > SNAPSHOT_MS) await files.remove(join(gitDir, name));
  }
}

const SNAPSHOT_MS = 60 * 60 * 1_000;

async function journalsOf({ files }: Host, commonDir: string): Promise<readonly string[]> {
  const entries = await files.list(join(commonDir, 'coppice')).catch(() => []);
  return entries.flatMap(({ name }) => /^applying-([\w-]+)\.json$/.exec(name)?.[1] ?? []);
}

function describe({ name, top, stage, backup }: ApplyJournal, left: readonly string[]): readonly string[] {
  if (stage !== 'placing') return [];
  const first = `Applying worktree ${name} to ${top} was cut off. Its files were restored.`;
  if (left.length === 0) return [first];
  const from = backup === undefined ? '' : `; its previous content is in ${backup.ref}`;
  return [first, ...left.map((path) => `  ${path} was changed since and left unchanged${from}`)];
}

/** Removes a folder that we created, with everything in it. Links are removed, not followed. */
async function removeOwnFolder(files: Files, folder: string): Promise<void> {
  const at = await files.lstat(folder);
  if (at === undefined) return;
  if (at.kind !== 'folder') throw new Error(`${folder} is not a folder`);
  for (const { name, kind } of await files.list(folder)) {
    const path = join(folder, name);
    if (kind === 'folder') await removeOwnFolder(files, path);
    else await files.remove(path);
  }
  await files.removeFolder(folder).catch((error) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}

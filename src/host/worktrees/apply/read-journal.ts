/**
 * Reads the journal of an apply that was cut off. It is in the git folder, which may have come with the repository, so
 * nothing in it is trusted: it may only refer to a checkout of this repository and to files that an apply creates there.
 */

import { join } from 'node:path';
import { type Checkout, findCheckout } from '../../git/checkout.js';
import type { Host } from '../../host.js';
import { isPathInside } from '../worktree-record.js';
import type { ApplyStep } from './restore-files.js';

export type ApplyJournal = {
  readonly v: 1;
  readonly id: string;
  /** The worktree whose work is applied. */
  readonly name: string;
  readonly top: string;
  /** Our folder, with the files that were moved away and those to be placed. */
  readonly folder: string;
  /** The index of the snapshot, also ours. */
  readonly index: string;
  /** `staging`: no file was touched. `placed`: only the cleanup is missing. */
  readonly stage: 'staging' | 'placing' | 'placed';
  readonly steps: readonly ApplyStep[];
  /** Folders that did not exist before, outermost first; relative to the top. */
  readonly folders: readonly string[];
  readonly backup?: { readonly ref: string; readonly commit: string };
};

/** Throws if it contains anything that an apply does not write. */
export async function readJournal(host: Host, target: Checkout, file: string, id: string): Promise<ApplyJournal> {
  const journal = JSON.parse((await host.files.read(file)).toString('utf8')) as ApplyJournal;
  if (!isWhole(journal, id)) throw new Error('the file is damaged');
  if ((await host.files.lstat(journal.top)) === undefined) {
    throw new Error(`${journal.top} does not exist. If the repository was moved, move it back once and start again`);
  }
  const found = await findCheckout(host, journal.top, target);
  const isHere = found.ok && found.checkout.commonDir === target.commonDir && found.checkout.top === journal.top;
  if (!isHere) throw new Error(foreign(journal.top));
  const { gitDir, top } = found.checkout;
  const folders = [join(gitDir, `coppice-apply-${id}`), join(top, `.coppice-apply-${id}`)];
  if (!folders.includes(journal.folder)) throw new Error(foreign(journal.folder));
  if (!isIndexOf(gitDir, journal.index)) throw new Error(foreign(journal.index));
  return journal;
}

function foreign(path: string): string {
  return `${path} does not belong to this repository. If the repository was copied, remove this file`;
}

function isWhole(journal: ApplyJournal, id: string): boolean {
  const { v, name, top, folder, index, stage, steps, folders, backup } = journal;
  const texts = [name, top, folder, index];
  if (v !== 1 || journal.id !== id || !texts.every((text) => typeof text === 'string')) return false;
  if (!['staging', 'placing', 'placed'].includes(stage) || !Array.isArray(steps) || !Array.isArray(folders))
    return false;
  const isStep = ({ path, was, now }: (typeof steps)[number]) =>
    isPathInside(path) &&
    (was === undefined || was === 'file' || was === 'folder') &&
    (now === undefined || typeof now === 'string');
  return steps.every(isStep) && folders.every(isPathInside) && (backup === undefined || isBackup(backup));
}

function isBackup({ ref, commit }: NonNullable<ApplyJournal['backup']>): boolean {
  return /^refs\/coppice\/backup\/[\w.-]+$/.test(ref) && /^[0-9a-f]{40,64}$/.test(commit);
}

function isIndexOf(gitDir: string, index: string): boolean {
  return index.startsWith(join(gitDir, 'coppice-index-')) && !index.slice(gitDir.length + 1).includes('/');
}

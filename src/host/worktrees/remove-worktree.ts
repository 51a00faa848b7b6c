/**
 * Removes one of our worktrees if it contains no work (WT-7), or in any case with `discard`. Git itself removes it: if git
 * refuses, the worktree stays, with git's reason. The record notes the removal before it begins and is deleted last.
 */

import { join, resolve } from 'node:path';
import { reasonOf } from '../../protocol/reason-of.js';
import { type Checkout, findCheckout } from '../git/checkout.js';
import type { Host } from '../host.js';
import { type Lock, takeLock } from '../locks/lock.js';
import { findWork } from './find-work.js';
import { type Located, listIfThere, locateWorktree } from './locate-worktree.js';
import { findBlockers, findProcesses } from './removal-blockers.js';
import { type Removal, runRemoval } from './removal-steps.js';
import { withRepositoryLock } from './repository-lock.js';
import { readTip } from './work/history-work.js';
import {
  isWorktreeName,
  lockReason,
  NAME_RULE,
  openRecords,
  useLock,
  WORKTREES_FOLDER,
  type WorktreeRecord,
} from './worktree-record.js';

export type { Removal } from './removal-steps.js';

export type RemoveOptions = {
  /** The user agreed to lose its content. */
  readonly discard?: boolean;
  /** The use lock, if the caller holds it; the caller keeps it. */
  readonly use?: Lock;
  /** Called before git removes it. A worktree made by a hook is removed only by this. */
  readonly hook?: (path: string) => Promise<{ readonly ok: boolean; readonly reason?: string }>;
};

/** Never rejects. */
export async function removeWorktree(
  host: Host,
  checkout: Checkout,
  name: string,
  options: RemoveOptions = {},
): Promise<Removal> {
  if (!isWorktreeName(name)) return kept(`${JSON.stringify(name)} is not the name of a worktree: ${NAME_RULE}`);
  try {
    const records = openRecords(host, checkout.commonDir);
    if ((await records.read(name)) === undefined) return { kind: 'gone' };
    if (options.use !== undefined) return await removeHeld(host, checkout, name, options);
    const taken = await takeLock(host, useLock(checkout.commonDir, name));
    if (!taken.ok) return kept(`it is in use: ${taken.reason}`);
    try {
      return await removeHeld(host, checkout, name, options);
    } finally {
      await taken.lock.release();
    }
  } catch (error) {
    return kept(`it could not be removed: ${reasonOf(error)}`);
  }
}

async function removeHeld(host: Host, checkout: Checkout, name: string, options: RemoveOptions): Promise<Removal> {
  const record = await openRecords(host, checkout.commonDir).read(name);
  if (record === undefined) return { kind: 'gone' };
  if (record.madeBy === 'hook') return removeHookMade(host, checkout, record, options);
  const isOwn = checkout.gitDir === record.gitDir && checkout.gitDir !== checkout.commonDir;
  if (isOwn) return removeOwn(host, checkout, record, options);
  const first = await inspect(host, checkout, record, options);
  if (first.kind !== 'free') return first;
  const { located } = first;
  if (options.hook !== undefined && (located.kind === 'here' || located.kind === 'moved')) {
    await options.hook(located.path);
    // The hook may have written files there.
    const second = await inspect(host, checkout, record, options);
    if (second.kind !== 'free') return second;
  }
  const turn = await withRepositoryLock(host, checkout.commonDir, () =>
    runRemoval(host, checkout, { ...first, record, isDiscarded: options.discard === true }),
  );
  return turn.ok ? turn.value : kept(turn.reason);
}

/** The checkout is the worktree itself: git runs in the checkout where it was made. */
async function removeOwn(
  host: Host,
  checkout: Checkout,
  record: WorktreeRecord,
  options: RemoveOptions,
): Promise<Removal> {
  const home = resolve(record.path, '..', ...WORKTREES_FOLDER.split('/').map(() => '..'));
  const found = await findCheckout(host, home, checkout);
  if (!found.ok) return kept(found.reason);
  const { gitDir, commonDir } = found.checkout;
  if (gitDir === record.gitDir || commonDir !== checkout.commonDir)
    return kept(`${home} is not a checkout of its repository`);
  return removeHeld(host, found.checkout, record.name, options);
}

type Removable = {
  readonly kind: 'free';
  readonly located: Located;
  /** The commit its branch must still be at when it is removed; undefined: it had none. */
  readonly tip: string | undefined;
};

/** Checks whether it may be removed. */
async function inspect(
  host: Host,
  checkout: Checkout,
  record: WorktreeRecord,
  { discard = false }: RemoveOptions,
): Promise<Removable | Removal> {
  const processes = await findProcesses(host, checkout, record);
  if (processes.length > 0) return { kind: 'kept', reasons: processes };
  if (record.stage !== 'made') await fixRegistration(host, checkout.commonDir, record);
  const located = await locateWorktree(host, checkout.commonDir, record);
  if (located.kind === 'moved') {
    const there = await findProcesses(host, checkout, { ...record, path: located.path });
    if (there.length > 0) return { kind: 'kept', reasons: there };
  }
  const tip = discard ? await readTip(checkout.git, record.branch) : record.start;
  const barriers = await findBlockers(host, checkout, record, located);
  if (barriers.length > 0) return { kind: 'kept', reasons: barriers };
  if (discard) return { kind: 'free', located, tip };
  const work = await findWork(host, checkout, record);
  if (work.kind === 'work') return { kind: 'kept', reasons: work.reasons };
  if (located.kind === 'missing' && record.stage === 'made') return { kind: 'gone', note: missingNote(record) };
  return { kind: 'free', located, tip };
}

/** Git can't distinguish a deleted folder from one that was moved by hand, which still needs its registration. */
function missingNote({ path }: WorktreeRecord): string {
  return `${path} is not there any more. If you moved it, run "git worktree repair" in its new place; if you deleted it, remove it with --discard, which forgets it.`;
}

/** Another version control system may have made it: only the hook knows its content. */
async function removeHookMade(
  host: Host,
  checkout: Checkout,
  record: WorktreeRecord,
  { discard = false, hook }: RemoveOptions,
): Promise<Removal> {
  const { path, name } = record;
  const { commonDir } = checkout;
  const isThere = async () => (await host.files.lstat(path)) !== undefined;
  if (!(await isThere())) {
    await openRecords(host, commonDir).drop(name);
    return { kind: 'gone' };
  }
  if (!discard) return kept('it was made by a WorktreeCreate hook: only its maker knows what is in it');
  if (hook === undefined)
    return kept(`it was made by a WorktreeCreate hook, and no WorktreeRemove hook is set: remove ${path} yourself`);
  const processes = await findProcesses(host, checkout, record);
  if (processes.length > 0) return kept(...processes);
  const result = await hook(path);
  if (!result.ok) return kept(`its WorktreeRemove hook failed: ${result.reason ?? 'it gave no reason'}`);
  if (await isThere()) return kept(`its WorktreeRemove hook left ${path} where it is`);
  await openRecords(host, commonDir).drop(name);
  return { kind: 'removed' };
}

function kept(...reasons: readonly string[]): Removal {
  return { kind: 'kept', reasons };
}

/** Only for a record whose maker is dead, and while no git works on it. Files with content stay unchanged. */
async function fixRegistration(host: Host, commonDir: string, record: WorktreeRecord): Promise<void> {
  const { files } = host;
  const pointer = join(record.path, '.git');
  if (await isEmptyFile(host, pointer)) await files.remove(pointer);
  const folder = join(commonDir, 'worktrees');
  // Git names it after the folder, with a number if that name is taken.
  const isNamed = (name: string) => name.startsWith(record.name) && /^\d*$/.test(name.slice(record.name.length));
  for (const { name } of await listIfThere(host, folder)) {
    const own = join(folder, name);
    if (!isNamed(name) || !(await isOfThis(host, own, record))) continue;
    if (await isEmptyFile(host, join(own, 'locked')))
      await files.replace(join(own, 'locked'), lockReason(record.owner));
    if (await isEmptyFile(host, join(own, 'commondir'))) await files.replace(join(own, 'commondir'), '../..\n');
  }
}

/** True if it names the record's folder, or no folder yet. */
async function isOfThis(host: Host, own: string, record: WorktreeRecord): Promise<boolean> {
  const gitdir = join(own, 'gitdir');
  const stat = await host.files.lstat(gitdir);
  if (stat === undefined || (stat.kind === 'file' && stat.size === 0)) return true;
  return stat.kind === 'file' && (await host.files.read(gitdir)).toString('utf8').trim() === join(record.path, '.git');
}

async function isEmptyFile(host: Host, path: string): Promise<boolean> {
  const stat = await host.files.lstat(path);
  return stat?.kind === 'file' && stat.size === 0;
}

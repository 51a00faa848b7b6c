/**
 * Cleans up after earlier sessions (WT-9): immediately what a crash left incomplete or locked; and worktrees that were not
 * used for a long time, if they contain no work. Only those with a record of ours and without a live owner.
 */

import { dirname, join } from 'node:path';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Checkout } from '../git/checkout.js';
import type { Host } from '../host.js';
import { inspectLock, type Lock, takeLock } from '../locks/lock.js';
import { unlockUnused } from './git-lock.js';
import { removeWorktree } from './remove-worktree.js';
import { isWorktreeName, openRecords, recordsFolder, useLock, type WorktreeRecord } from './worktree-record.js';

export type Swept = {
  readonly removed: readonly string[];
  /** Those that are due or incomplete, but contain work or could not be checked: for people. */
  readonly left: readonly { readonly name: string; readonly reasons: readonly string[] }[];
};

export type SweepOptions = {
  /** Worktrees that were unused for this many days are checked. */
  readonly days: number;
  readonly signal?: AbortSignal;
};

const DAY_MS = 86_400_000;

/** Never rejects. */
export async function sweepWorktrees(host: Host, checkout: Checkout, options: SweepOptions): Promise<Swept> {
  await removeDrafts(host, recordsFolder(checkout.commonDir));
  await removeDrafts(host, dirname(recordsFolder(checkout.commonDir)));
  const removed: string[] = [];
  const left: { name: string; reasons: readonly string[] }[] = [];
  for (const name of await listNames(host, checkout)) {
    if (options.signal?.aborted) break;
    const outcome = await sweepOne(host, checkout, name, options).catch((error) => [reasonOf(error)]);
    if (outcome === 'removed') removed.push(name);
    else if (outcome !== 'stays') left.push({ name, reasons: outcome });
  }
  return { removed, left };
}

/** Removes files that a killed process was writing: a lock that names it, or one of our indexes. */
async function removeDrafts(host: Host, folder: string): Promise<void> {
  for (const { name } of await host.files.list(folder).catch(() => [])) {
    const path = join(folder, name);
    const isLeft = LOCK_DRAFT.test(name)
      ? await isOfDead(host, path)
      : CLAIM.test(name)
        ? await isLoose(host, path)
        : INDEX.test(name) && (await isOld(host, path));
    if (isLeft) await host.files.remove(path).catch(() => {});
  }
}

const LOCK_DRAFT = /lock\.[\w-]+\.tmp$/;
/** A claim on a lock of a dead process (`host/locks/lock.ts`). */
const CLAIM = /lock\.next-[\w-]+$/;
const INDEX = /^index-[0-9a-f]+(?:\.lock)?$/;

async function isOfDead(host: Host, path: string): Promise<boolean> {
  return (await inspectLock(host, path)) === 'free' || (await isOld(host, path));
}

/** Without the lock, the claim is meaningless. */
async function isLoose(host: Host, path: string): Promise<boolean> {
  const lock = path.replace(/\.next-[\w-]+$/, '');
  return (await host.files.lstat(lock).catch(() => 'unknown')) === undefined && (await isOfDead(host, path));
}

async function isOld(host: Host, path: string): Promise<boolean> {
  const found = await host.files.lstat(path).catch(() => undefined);
  return found !== undefined && host.clock.now() - found.mtimeMs > DAY_MS;
}

/** By their records, and by locks left without one. */
async function listNames(host: Host, { commonDir }: Checkout): Promise<readonly string[]> {
  const entries = await host.files.list(recordsFolder(commonDir)).catch(() => []);
  const names = entries.flatMap(({ name }) => /^(.+)\.(?:json|lock)$/.exec(name)?.[1] ?? []);
  return [...new Set(names)].filter(isWorktreeName).sort();
}

type Outcome = 'removed' | 'stays' | readonly string[];

async function sweepOne(host: Host, checkout: Checkout, name: string, options: SweepOptions): Promise<Outcome> {
  const path = useLock(checkout.commonDir, name);
  const held = await inspectLock(host, path);
  if (held !== 'free') return held.kind === 'held' ? 'stays' : [held.reason];
  const wasLeft = (await host.files.lstat(path)) !== undefined;
  if (!wasLeft && !(await isDue(host, checkout, name, options))) return 'stays';
  const taken = await takeLock(host, path);
  if (!taken.ok) return 'stays';
  try {
    const record = await openRecords(host, checkout.commonDir).read(name);
    return record === undefined ? 'stays' : await sweepRecorded(host, checkout, record, taken.lock, options);
  } finally {
    await taken.lock.release();
  }
}

/** True if it is incomplete, or was not used for long. Throws if its record is damaged. */
async function isDue(host: Host, { commonDir }: Checkout, name: string, { days }: SweepOptions): Promise<boolean> {
  const records = openRecords(host, commonDir);
  const record = await records.read(name);
  if (record === undefined || record.madeBy === 'hook') return false;
  return record.stage !== 'made' || host.clock.now() - (await records.usedAt(name)) > days * DAY_MS;
}

async function sweepRecorded(
  host: Host,
  checkout: Checkout,
  record: WorktreeRecord,
  use: Lock,
  options: SweepOptions,
): Promise<Outcome> {
  if (record.madeBy === 'hook') return 'stays';
  if (!(await isDue(host, checkout, record.name, options))) {
    await unlockUnused(host, checkout, record);
    return 'stays';
  }
  const removal = await removeWorktree(host, checkout, record.name, { use });
  if (removal.kind === 'kept') {
    await unlockUnused(host, checkout, record);
    return removal.reasons;
  }
  return removal.kind === 'gone' && removal.note !== undefined ? [removal.note] : 'removed';
}

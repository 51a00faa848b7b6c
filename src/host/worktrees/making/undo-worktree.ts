/** Removes a worktree that could not be completed. No one has worked in it, so it contains no work. */

import { resolve } from 'node:path';
import { reasonOf } from '../../../protocol/reason-of.js';
import type { Checkout } from '../../git/checkout.js';
import type { Host } from '../../host.js';
import type { Lock } from '../../locks/lock.js';
import { isOwnLock, openRecords, type WorktreeRecord } from '../worktree-record.js';

/** What has been created so far. */
export type PartialWorktree = {
  readonly record: WorktreeRecord;
  readonly use: Lock;
  folders: readonly string[];
  hasBranch: boolean;
  /** True once git was asked to create it: git may have been killed half-way. */
  isAdded: boolean;
};

/**
 * Called under the repository's lock. Returns the reason, with what could not be removed: that stays in its record,
 * where the next cleanup finds it.
 */
export async function undoWorktree(
  host: Host,
  checkout: Checkout,
  begun: PartialWorktree,
  reason: string,
): Promise<string> {
  const { record, use } = begun;
  try {
    const { git, commonDir } = checkout;
    if (begun.isAdded && (await isRegistered(checkout, record.path))) {
      const removed = await git(['worktree', 'remove', '--force', '--force', '--', record.path]);
      if (!removed.ok) throw new Error(removed.reason);
    }
    if (begun.hasBranch && (await git(['show-ref', '--verify', '--quiet', `refs/heads/${record.branch}`])).ok) {
      const deleted = await git(['update-ref', '-d', `refs/heads/${record.branch}`, record.start]);
      if (!deleted.ok) throw new Error(deleted.reason);
    }
    // Only empty folders: others may be in use.
    for (const folder of begun.folders.toReversed()) await host.files.removeFolder(folder).catch(() => {});
    await openRecords(host, commonDir).drop(record.name);
    return reason;
  } catch (error) {
    return `${reason} (what was made of ${record.path} could not be taken back: ${reasonOf(error)})`;
  } finally {
    await use.release();
  }
}

async function isRegistered({ git }: Checkout, path: string): Promise<boolean> {
  const listed = await git(['worktree', 'list', '--porcelain', '-z']);
  if (!listed.ok) throw new Error(listed.reason);
  return listed.text.split('\0\0').some((entry) => {
    const lines = entry.split('\0');
    const place = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length);
    const lock = lines.find((line) => line.startsWith('locked '))?.slice('locked '.length);
    return place !== undefined && resolve(place) === path && lock !== undefined && isOwnLock(lock);
  });
}

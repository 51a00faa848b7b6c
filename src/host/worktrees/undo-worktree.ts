/** Takes back a worktree that could not be made whole. Nobody has worked in it: nothing in it is anybody's work. */

import { reasonOf } from '../../protocol/reason-of.js';
import type { Checkout } from '../git/checkout.js';
import type { Host } from '../host.js';
import type { Lock } from '../lock.js';
import { openRecords, type WorktreeRecord } from './worktree-record.js';

export type Undoing = {
  readonly record: WorktreeRecord;
  readonly use: Lock;
  /** Why it is taken back. */
  readonly reason: string;
};

/** Gives the reason, with what could not be taken back. */
export async function undoWorktree(host: Host, checkout: Checkout, { record, use, reason }: Undoing): Promise<string> {
  try {
    const { git, commonDir } = checkout;
    if ((await host.files.lstat(record.path)) !== undefined) {
      const removed = await git(['worktree', 'remove', '--force', '--force', '--', record.path]);
      if (!removed.ok) throw new Error(removed.reason);
    }
    await git(['update-ref', '-d', `refs/heads/${record.branch}`, record.start]);
    await openRecords(host, commonDir).drop(record.name);
    return reason;
  } catch (error) {
    return `${reason} (${record.path} could not be taken back: ${reasonOf(error)})`;
  } finally {
    await use.release();
  }
}

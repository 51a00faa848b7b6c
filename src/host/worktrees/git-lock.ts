/** Git's own lock on a worktree: it keeps git and people from removing it while it is in use (WT-5). */

import type { Checkout } from '../git/checkout.js';
import type { Git } from '../git/git.js';
import type { Host } from '../host.js';
import { locateWorktree, readGitLock } from './locate-worktree.js';
import { isOwnLock, lockReason, type WorktreeOwner, type WorktreeRecord } from './worktree-record.js';

export type LockedWorktree = { readonly path: string; readonly gitDir: string };

/** Locks it for this owner. A lock of someone else stays as it is. */
export async function lockForUse(host: Host, git: Git, place: LockedWorktree, owner: WorktreeOwner): Promise<void> {
  const before = await unlockOwn(host, git, place);
  if (before === undefined) await git(['worktree', 'lock', '--reason', lockReason(owner), '--', place.path]);
}

/** Removes our lock from a worktree that is no longer used, wherever it is. */
export async function unlockUnused(host: Host, { git, commonDir }: Checkout, record: WorktreeRecord): Promise<void> {
  const located = await locateWorktree(host, commonDir, record);
  if (!('gitDir' in located)) return;
  const path = located.kind === 'missing' ? record.path : located.path;
  await unlockOwn(host, git, { path, gitDir: located.gitDir });
}

/** Releases our lock. If it is still locked afterwards, someone else did it: returns their reason. */
export async function unlockOwn(host: Host, git: Git, { path, gitDir }: LockedWorktree): Promise<string | undefined> {
  const reason = await readGitLock(host, gitDir);
  if (reason === undefined || !isOwnLock(reason)) return reason;
  const unlocked = await git(['worktree', 'unlock', '--', path]);
  return unlocked.ok ? undefined : readGitLock(host, gitDir);
}

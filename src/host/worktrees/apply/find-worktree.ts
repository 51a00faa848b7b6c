/** Finds one of our worktrees by its name, and its current folder: it may have been moved or deleted. */

import { reasonOf } from '../../../protocol/reason-of.js';
import type { Result } from '../../../protocol/result.js';
import { type Checkout, findCheckout } from '../../git/checkout.js';
import type { Host } from '../../host.js';
import { locateWorktree } from '../locate-worktree.js';
import { isWorktreeName, NAME_RULE, openRecords, type WorktreeRecord } from '../worktree-record.js';

export type NamedWorktree = Result<{ readonly record: WorktreeRecord }>;

export async function readWorktree(host: Host, commonDir: string, name: string): Promise<NamedWorktree> {
  if (!isWorktreeName(name)) {
    return { ok: false, reason: `${JSON.stringify(name)} can't be the name of a worktree: ${NAME_RULE}` };
  }
  try {
    const record = await openRecords(host, commonDir).read(name);
    return record === undefined
      ? { ok: false, reason: `there is no worktree ${name} in this repository` }
      : { ok: true, record };
  } catch (error) {
    return { ok: false, reason: `worktree ${name}: ${reasonOf(error)}` };
  }
}

export type CurrentFolder =
  | { readonly kind: 'there'; readonly checkout: Checkout; readonly isMoved: boolean }
  /** Its folder no longer exists: only its branch may be left. */
  | { readonly kind: 'gone'; readonly reason: string }
  /** The folder can't be read as this worktree, so its content is unknown. */
  | { readonly kind: 'unusable'; readonly reason: string };

export async function currentFolder(
  host: Host,
  { commonDir, trusted }: Pick<Checkout, 'commonDir' | 'trusted'>,
  record: WorktreeRecord,
): Promise<CurrentFolder> {
  const located = await locateWorktree(host, commonDir, record);
  switch (located.kind) {
    case 'nothing':
    case 'missing':
      return { kind: 'gone', reason: `the folder of worktree ${record.name} is gone (${record.path})` };
    case 'unregistered':
      return unusable(record, 'git does not know it any more');
    case 'damaged':
      return unusable(record, located.reason);
    case 'here':
    case 'moved': {
      const found = await findCheckout(host, located.path, { trusted });
      if (!found.ok) return unusable(record, found.reason);
      const { checkout } = found;
      const isIt = checkout.commonDir === commonDir && checkout.gitDir === located.gitDir;
      if (!isIt) return unusable(record, 'its .git file does not lead to it (git worktree repair fixes it)');
      return { kind: 'there', checkout, isMoved: located.kind === 'moved' };
    }
  }
}

function unusable({ name, path }: WorktreeRecord, reason: string): CurrentFolder {
  return { kind: 'unusable', reason: `worktree ${name} (${path}) can't be inspected: ${reason}` };
}

/** Shows an agent's work in its worktree against its start: commits, uncommitted changes and new files (WT-12). */

import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import type { Checkout } from '../git/checkout.js';
import type { Host } from '../host.js';
import { readWorktree } from './apply/find-worktree.js';
import { snapshotWork } from './apply/snapshot-work.js';

/** `diff`: a patch for `git apply`, in any encoding; empty if nothing was changed. */
export type WorktreeDiff = Result<{ readonly diff: Buffer; readonly notes: readonly string[] }>;

/** Never rejects. Only adds objects to the repository. */
export async function diffWorktree(
  host: Host,
  checkout: Checkout,
  name: string,
  options: { readonly stat?: boolean } = {},
): Promise<WorktreeDiff> {
  try {
    const found = await readWorktree(host, checkout.commonDir, name);
    if (!found.ok) return found;
    const work = await snapshotWork(host, checkout, found.record);
    if (!work.ok) return work;
    // External diff programs are not needed here, and may come from the repository.
    const args = [
      'diff',
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
      '--src-prefix=a/',
      '--dst-prefix=b/',
      options.stat ? '--stat' : '--binary',
    ];
    const diff = await checkout.git([...args, found.record.start, work.tree]);
    return diff.ok ? { ok: true, diff: diff.stdout, notes: work.notes } : { ok: false, reason: diff.reason };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
}

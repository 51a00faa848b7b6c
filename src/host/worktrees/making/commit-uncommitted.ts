/** Commits the uncommitted changes of a checkout on its HEAD, as the start of a worktree (WT-2). */

import type { Result } from '../../../protocol/result.js';
import type { Checkout } from '../../git/checkout.js';
import { OWN_IDENTITY } from '../../git/own-identity.js';
import { takeSnapshot } from '../../git/snapshot.js';
import type { Host } from '../../host.js';

export type UncommittedCommit = Result<{ readonly start: string }>;

export type UncommittedOptions = {
  readonly name: string;
  readonly maxOverlayBytes: number;
  readonly signal?: AbortSignal;
};

/** Only creates objects. Without changes, the base itself is the start. */
export async function commitUncommitted(
  host: Host,
  checkout: Checkout,
  base: string,
  options: UncommittedOptions,
): Promise<UncommittedCommit> {
  const { git } = checkout;
  const snapshot = await takeSnapshot(host, checkout, {
    maxBytes: options.maxOverlayBytes,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  if (!snapshot.ok) return snapshot;
  await snapshot.discard();
  const { tree } = snapshot;
  const committed = await git(['rev-parse', '--verify', `${base}^{tree}`]);
  if (!committed.ok) return { ok: false, reason: committed.reason };
  if (committed.text === tree) return { ok: true, start: base };
  const args = ['commit-tree', tree, '-p', base, '-m', `Uncommitted changes at the start of ${options.name}`];
  const made = await git(args);
  // The user may have no git identity, and a commit needs one.
  const commit = made.ok ? made : await git(args, { env: OWN_IDENTITY });
  return commit.ok ? { ok: true, start: commit.text } : { ok: false, reason: commit.reason };
}

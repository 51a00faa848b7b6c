/** The diff of an agent's worktree, or the uncommitted changes of the session's own checkout, as git shows it. */

import type { Runtime } from '../../agents/runtime.js';
import { loadWorktrees } from '../../features/worktrees/commands.js';
import { findCheckout } from '../../host/git/checkout.js';
import { takeSnapshot } from '../../host/git/snapshot.js';
import type { CommandOf } from '../../protocol/commands.js';
import type { ShownDiff } from '../commands/command-results.js';
import type { Engine } from '../engine.js';

export async function reportDiff({ runtime }: Engine, { worktree, stat }: CommandOf<'diff'>): Promise<ShownDiff> {
  if (worktree === undefined) return ownDiff(runtime, stat === true);
  const { diffHere, place } = await loadWorktrees(runtime);
  const { name, ...shown } = await diffHere(place, worktree, { stat: stat === true });
  const named = name === undefined ? {} : { name };
  return shown.ok ? { ...shown, ...named, diff: shown.diff.toString('utf8') } : { ...shown, ...named };
}

/** Git's empty tree: a repository without a commit is compared with it. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Includes new files. Changes nothing in the checkout. */
async function ownDiff({ host, trusted }: Runtime, stat: boolean): Promise<ShownDiff> {
  const found = await findCheckout(host, host.folder, { trusted });
  if (!found.ok) return found;
  const { checkout } = found;
  const snapshot = await takeSnapshot(host, checkout);
  if (!snapshot.ok) return snapshot;
  try {
    const head = await checkout.git(['rev-parse', '--verify', '--quiet', 'HEAD^{tree}']);
    const from = head.ok ? head.text : EMPTY_TREE;
    const how = ['--no-ext-diff', '--no-textconv', '--no-color', '--src-prefix=a/', '--dst-prefix=b/'];
    const diff = await checkout.git(['diff', ...how, ...(stat ? ['--stat'] : []), from, snapshot.tree]);
    return diff.ok ? { ok: true, diff: diff.stdout.toString('utf8'), notes: [] } : { ok: false, reason: diff.reason };
  } finally {
    await snapshot.discard();
  }
}

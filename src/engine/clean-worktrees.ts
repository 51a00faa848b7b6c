/** After the first reply: what processes that died left of worktrees and of applied changes (WT-9), told in lines. */

import { findCheckout } from '../host/git/checkout.js';
import type { Host } from '../host/host.js';
import { recoverApplies } from '../host/worktrees/apply-journal.js';
import { sweepWorktrees } from '../host/worktrees/sweep-worktrees.js';
import { makeVisibleLine } from '../protocol/make-visible.js';

export type WorktreeCleaning = {
  readonly host: Host;
  readonly folder: string;
  readonly trusted: boolean;
  /** Unused for so long, one without work is removed. */
  readonly days: number;
  readonly signal: AbortSignal;
};

/** Returns the lines for the person. */
export async function cleanWorktrees({ host, folder, trusted, days, signal }: WorktreeCleaning) {
  const found = await findCheckout(host, folder, { trusted });
  if (!found.ok) return [];
  const recovered = await recoverApplies(host, found.checkout);
  const { removed, left } = await sweepWorktrees(host, found.checkout, { days, signal });
  return [
    ...recovered,
    ...(removed.length === 0 ? [] : [`removed ${nameAll(removed)}, which nobody used and which held no work`]),
    ...left.map(({ name, reasons }) => `the worktree ${name} was left by a process that died: ${reasons.join('; ')}`),
    ...(left.length === 0 ? [] : ['coppice worktree list shows where they are; remove NAME clears one away']),
  ].map(makeVisibleLine);
}

function nameAll(names: readonly string[]): string {
  return `${names.length === 1 ? 'the worktree' : 'the worktrees'} ${names.join(', ')}`;
}

/**
 * Cleans up, after the first reply, worktrees and applied changes that dead processes left behind (WT-9), and reports
 * it.
 */

import { findCheckout } from '../../host/git/checkout.js';
import type { Host } from '../../host/host.js';
import { recoverApplies } from '../../host/worktrees/apply-worktree.js';
import { sweepWorktrees } from '../../host/worktrees/sweep-worktrees.js';
import { openRecords } from '../../host/worktrees/worktree-record.js';
import { escapeToLine } from '../../protocol/escape-controls.js';

export type WorktreeCleaning = {
  readonly host: Host;
  readonly folder: string;
  readonly trusted: boolean;
  /** Worktrees without work are removed after being unused for this long. */
  readonly days: number;
  /** Also reports unused ones that contain work; once a day is enough. */
  readonly namesOld: boolean;
  readonly signal: AbortSignal;
};

export type CleanUpNote = { readonly level: 'info' | 'warning'; readonly line: string };

/** Returns the messages for the user. */
export async function cleanWorktrees(cleaning: WorktreeCleaning): Promise<readonly CleanUpNote[]> {
  const { host, folder, trusted, days, signal } = cleaning;
  const found = await findCheckout(host, folder, { trusted });
  if (!found.ok) return [];
  const { checkout } = found;
  const recovered = await recoverApplies(host, checkout);
  const { removed, left } = await sweepWorktrees(host, checkout, { days, signal });
  const messages: string[] = [];
  for (const { name, reasons } of left) {
    const record = await openRecords(host, checkout.commonDir)
      .read(name)
      .catch(() => undefined);
    const isOld = record?.stage === 'made';
    if (isOld && !cleaning.namesOld) continue;
    const how = isOld ? `was not used for ${days} days` : 'was left half-made by a process that died';
    const at = record === undefined ? '' : ` (${record.path})`;
    messages.push(`the worktree ${name}${at} ${how} and is kept: ${reasons.join('; ')}`);
  }
  const lines = [
    ...(removed.length === 0 ? [] : [`removed ${nameAll(removed)}: nobody works there, and nothing was in it`]),
    ...messages,
    ...(messages.length === 0
      ? []
      : ['coppice worktree list shows all of them, coppice worktree remove NAME removes one']),
  ];
  return [
    // These concern the user's own files.
    ...recovered.map((line) => ({ level: 'warning' as const, line: escapeToLine(line) })),
    ...lines.map((line) => ({ level: 'info' as const, line: escapeToLine(line) })),
  ];
}

function nameAll(names: readonly string[]): string {
  return `${names.length === 1 ? 'the worktree' : 'the worktrees'} ${names.join(', ')}`;
}

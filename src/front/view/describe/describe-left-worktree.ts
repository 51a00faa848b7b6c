/** Describes the end of a session's worktree when the session left it (WT-10). */

import type { SessionWorktree } from '../../../features/worktrees/session-worktree.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';

/** Lines for the user. None for a session without one, and while another session still works in it. */
export function describeLeftWorktree(worktree: SessionWorktree | undefined): readonly string[] {
  if (worktree?.left === undefined) return [];
  const { name, path, branch, left } = worktree;
  switch (left.outcome) {
    case 'in-use':
      return [];
    case 'removed':
      return [`Removed worktree ${name}: it had no changes.`];
    case 'gone':
      return [`Worktree ${name} is gone from ${escapeToLine(path)}.`, ...left.reasons.map(escapeToLine)];
    case 'kept': {
      const why = left.reasons.length === 0 ? '' : `: ${left.reasons.map(escapeToLine).join('; ')}`;
      return [`Kept worktree ${name}${why}`, ...describeWorktreeCommands(name, path, branch)];
    }
    default:
      return left.outcome satisfies never;
  }
}

/** The location of the work, and the commands to get it. */
export function describeWorktreeCommands(name: string, path: string, branch: string): readonly string[] {
  // Git knows nothing of a worktree that a hook made.
  if (branch === '') return [`  ${escapeToLine(path)}`, `  coppice worktree remove ${name} --discard    remove it`];
  return [
    `  ${escapeToLine(path)} (branch ${branch})`,
    `  coppice worktree diff ${name}      show its changes`,
    `  coppice worktree apply ${name}     apply them to your checkout`,
    `  coppice worktree remove ${name}    remove it; --discard also drops its changes`,
  ];
}

/** The same for programs; undefined if there is nothing to report. */
export function leftFields(worktree: SessionWorktree | undefined): object | undefined {
  if (worktree?.left === undefined || worktree.left.outcome === 'in-use') return undefined;
  const { name, path, branch, left } = worktree;
  return { name, path, branch, outcome: left.outcome, reasons: left.reasons };
}

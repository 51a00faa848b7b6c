/** What became of the worktree a session worked in, when it was left (WT-10). */

import type { SessionWorktree } from '../../../features/worktrees/session-worktree.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';

/** In lines for people. None for a session without one, and while another session still works in it. */
export function describeLeft(worktree: SessionWorktree | undefined): readonly string[] {
  if (worktree?.left === undefined) return [];
  const { name, path, branch, left } = worktree;
  switch (left.outcome) {
    case 'in-use':
      return [];
    case 'removed':
      return [`The worktree ${name} was removed: nothing had changed in it.`];
    case 'gone':
      return [`The worktree ${name} is not at ${escapeToLine(path)} any more.`, ...left.reasons.map(escapeToLine)];
    case 'kept': {
      const why = left.reasons.length === 0 ? '' : `: ${left.reasons.map(escapeToLine).join('; ')}`;
      return [`The worktree ${name} is kept${why}`, ...describeWays(name, path, branch)];
    }
    default:
      return left.outcome satisfies never;
  }
}

/** Where the work is, and how to get it. */
export function describeWays(name: string, path: string, branch: string): readonly string[] {
  // Git has no part in one that a hook made.
  if (branch === '') return [`  ${escapeToLine(path)}`, `  coppice worktree remove ${name} --discard    removes it`];
  return [
    `  ${escapeToLine(path)} (branch ${branch})`,
    `  coppice worktree diff ${name}      shows what changed`,
    `  coppice worktree apply ${name}     brings it into your checkout`,
    `  coppice worktree remove ${name}    removes it; with --discard also its work`,
  ];
}

/** The same for programs; undefined if there is nothing to say. */
export function leftFields(worktree: SessionWorktree | undefined): object | undefined {
  if (worktree?.left === undefined || worktree.left.outcome === 'in-use') return undefined;
  const { name, path, branch, left } = worktree;
  return { name, path, branch, outcome: left.outcome, reasons: left.reasons };
}

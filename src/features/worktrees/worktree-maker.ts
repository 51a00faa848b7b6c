/** Creates the worktrees of sessions in a project: by git, or by a hook. */

import type { Result } from '../../protocol/result.js';
import type { LeavableWorktree } from './session-worktree.js';

export interface WorktreeMaker {
  /** The requested folder, relative to the root of its checkout. */
  readonly prefix: string;
  /** The path where the worktree is or would be; undefined if only its maker knows. */
  path(): Promise<Result<{ readonly path: string | undefined }>>;
  /** Creates it, or reopens an existing one. The session then holds it. */
  take(session: string): Promise<TakenWorktree>;
}

export type TakenWorktree = Result<{ readonly worktree: LeavableWorktree; readonly notes: readonly string[] }>;

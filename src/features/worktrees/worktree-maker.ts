/** What makes the worktrees of sessions in a project: git, or a hook. */

import type { LeavableWorktree } from './session-worktree.js';

/** How worktrees are made here. */
export interface WorktreeMaker {
  /** The folder that was asked about, below the top of its checkout. */
  readonly prefix: string;
  /** Where the worktree is or would be; undefined if only its maker knows. */
  path(): Promise<Refused | { readonly ok: true; readonly path: string | undefined }>;
  /** Makes it, or goes on with the one that is there. The session holds it then. */
  take(session: string): Promise<TakenWorktree>;
}

export type Refused = { readonly ok: false; readonly reason: string };

export type TakenWorktree =
  | { readonly ok: true; readonly worktree: LeavableWorktree; readonly notes: readonly string[] }
  | Refused;

/** Creates the worktrees of sessions in a project: by git, or by a hook. */

import type { LeavableWorktree } from './session-worktree.js';

export interface WorktreeMaker {
  /** The requested folder, relative to the root of its checkout. */
  readonly prefix: string;
  /** The path where the worktree is or would be; undefined if only its maker knows. */
  path(): Promise<Refused | { readonly ok: true; readonly path: string | undefined }>;
  /** Creates it, or reopens an existing one. The session then holds it. */
  take(session: string): Promise<TakenWorktree>;
}

export type Refused = { readonly ok: false; readonly reason: string };

export type TakenWorktree =
  | { readonly ok: true; readonly worktree: LeavableWorktree; readonly notes: readonly string[] }
  | Refused;

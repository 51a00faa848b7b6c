/** What the permission engine is asked, and under which policy it answers. */

import type { SyncFiles } from '../../host/files.js';
import type { Action } from '../../protocol/action.js';
import type { PermissionMode } from '../../protocol/permission.js';
import type { Rule } from './rules/rule.js';

/** One tool call, with what the tool says it is about to do. */
export type Call = {
  readonly tool: string;
  readonly input: unknown;
  readonly actions: readonly Action[];
  /** Where the agent's shell stands: absolute. */
  readonly cwd: string;
};

export type Policy = {
  /** `bubble` must be resolved to the parent's mode before; here it counts as `default`. */
  readonly mode: PermissionMode;
  readonly rules: readonly Rule[];
  /** Folders the agent works in; the first is the working folder. Absolute. */
  readonly roots: readonly string[];
  /** Folders that may be read as if they were roots, never written (kept tool results and the like). */
  readonly readRoots?: readonly string[];
  readonly home: string;
  /** The person trusts this folder: the repo's own programs may run through git and package managers. */
  readonly trusted: boolean;
  readonly files: SyncFiles;
  /** Nothing but what is proven to read may run, whatever mode and rules say (AG-8). */
  readonly readOnlyOnly?: boolean;
  /** The working folder is a worktree of ours, and the caller turns the repo's programs off (GT-22). */
  readonly ownWorktree?: boolean;
};

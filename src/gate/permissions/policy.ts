/** The input of the permission engine: a call and the policy that applies to it. */

import type { SyncFiles } from '../../host/files.js';
import type { Action } from '../../protocol/action.js';
import type { PermissionMode } from '../../protocol/permission.js';
import type { Rule } from './rules/rule.js';

/** One tool call, with the actions its tool declares. */
export type Call = {
  readonly tool: string;
  readonly input: unknown;
  readonly actions: readonly Action[];
  /** The current folder of the agent's shell, absolute. */
  readonly cwd: string;
};

export type GuardedFolders = {
  /** Our own state, and the person's settings. */
  readonly own: readonly string[];
  /** Where programs are found by name. Those in the home count where a root is or holds the home. */
  readonly programs: readonly string[];
};

export type Policy = {
  /** Resolve `bubble` to the parent's mode first; here it counts as `default`. */
  readonly mode: PermissionMode;
  readonly rules: readonly Rule[];
  /** Folders the agent works in; the first is the working folder. Absolute. */
  readonly roots: readonly string[];
  /** Folders that may be read like roots, but never written (kept tool results and the like). */
  readonly readRoots?: readonly string[];
  readonly home: string;
  /** What is never changed unasked, wherever the roots are. Absolute. */
  readonly guarded?: GuardedFolders;
  /** Whether the person trusts this folder: the repository's own programs may run through git and package managers. */
  readonly trusted: boolean;
  readonly files: SyncFiles;
  /** What is known of the reading box; absent: there is none, and only the proof by the text counts (GT-23). */
  readonly box?: BoxFacts;
  /** Roots and folders of rules, resolved once per session: what they led to then is what was meant. */
  readonly fixed?: Map<string, string>;
  /** Only what is proven to read may run, whatever mode and rules say (AG-8). */
  readonly readOnlyOnly?: boolean;
  /** The agent works in a worktree of ours. */
  readonly worktree?: WorktreePolicy;
  /** The file of the session's plan, a real path; the main agent may change it while it plans, and ends plan mode (EX-4). */
  readonly plan?: { readonly file: string; readonly isMain: boolean };
  /** The folder of the agent's own notes: a real path, which need not exist (ME-3). */
  readonly memory?: string;
};

export type WorktreePolicy = {
  /** Its top: a real path. */
  readonly path: string;
  /** The checkout it was made from: no rule and no mode but bypass lets the agent change it unasked (WT-4). */
  readonly from: string;
  /** It is on its own branch: git may add and commit there, with the repository's programs off (GT-22). */
  readonly isOnBranch: boolean;
  /** A fork needs no mode for that. */
  readonly bubbles: boolean;
};

export type BoxFacts = {
  /** Git's objects may hold a file that a rule denies. */
  readonly deniedInGit: boolean;
  /** Git sees all there that it needs, so it answers as outside. */
  readonly gitIsWhole: boolean;
};

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
  /** Our own state, and the user's settings. */
  readonly own: readonly string[];
  /** The folders of programs. Those in the home apply if a root is or contains the home. */
  readonly programs: readonly string[];
};

export type Policy = {
  /** Resolve `bubble` to the parent's mode first; here it is treated as `default`. */
  readonly mode: PermissionMode;
  readonly rules: readonly Rule[];
  /** Folders the agent works in; the first is the working folder. Absolute. */
  readonly roots: readonly string[];
  /** Folders that may be read like roots, but never written (stored tool results and the like). */
  readonly readRoots?: readonly string[];
  readonly home: string;
  /** Folders that are never changed without asking, wherever the roots are. Absolute. */
  readonly guarded?: GuardedFolders;
  /** True if the user trusts this folder: the repository's programs may run through git and package managers. */
  readonly trusted: boolean;
  readonly files: SyncFiles;
  /** Facts about the read-only sandbox; absent: there is none, and only proof by the text applies (GT-23). */
  readonly box?: BoxFacts;
  /** Roots and folders of rules, resolved once per session, so that later changes of links don't matter. */
  readonly fixed?: Map<string, string>;
  /** Only calls proven to read may run, regardless of mode and rules (AG-8). */
  readonly readOnlyOnly?: boolean;
  /** The reason why file commands are not allowed like edits: the agent has no edit tools, or a hook guards those. */
  readonly noFileCommands?: string;
  /** True for a program in a folder of the system that the person can't write to; absent: all are. */
  readonly isOfSystem?: (name: string) => boolean;
  /** True for a program that would be started from one of the roots, also by a link; absent: none is. */
  readonly isOfRoots?: (name: string) => boolean;
  /** Set if the agent works in one of our worktrees. */
  readonly worktree?: WorktreePolicy;
  /** The file of the session's plan, a real path; the main agent may change it in plan mode, and ends plan mode (EX-4). */
  readonly plan?: { readonly file: string; readonly isMain: boolean };
  /** How many bytes may still be stored of the files that commands change (GT-36). Absent: as many as one command may. */
  readonly keepLeft?: number;
  /** The folder of the agent's own notes: a real path, which need not exist (ME-3). */
  readonly memory?: string;
};

export type WorktreePolicy = {
  /** Its top: a real path. */
  readonly path: string;
  /** The checkout it was created from: only bypass lets the agent change it without asking (WT-4). */
  readonly from: string;
  /** It is on its own branch: git may add and commit there, with the repository's programs off (GT-22). */
  readonly isOnBranch: boolean;
  /** A fork needs no mode for that. */
  readonly bubbles: boolean;
};

export type BoxFacts = {
  /** Git's objects may contain a file that a rule denies. */
  readonly deniedInGit: boolean;
  /** Git sees everything it needs there, so its output is the same as outside. */
  readonly gitIsWhole: boolean;
};

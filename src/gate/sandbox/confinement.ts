/** The sandbox's input and output: a command to confine, and the command to start instead. */

import type { ProcessCommand, ProcessExit } from '../../host/processes.js';
import type { Result } from '../../protocol/result.js';

export type SandboxMode = 'off' | 'auto' | 'required';

/** What one command needs. All paths are absolute. */
export type Needs = {
  /** The folders its agent works in: writable, except for protected names. */
  readonly roots: readonly string[];
  /** It works in a worktree of ours: of the git folder it may write what a commit there needs (GT-22). */
  readonly worktree?: WorktreeGit;
  /** What a person granted for this one command. */
  readonly grant?: Grant;
};

export type WorktreeGit = {
  /** The worktree's own record, and the git folder that all worktrees share: real paths. */
  readonly own: string;
  readonly common: string;
  readonly branch: string;
};

export type Grant = {
  readonly network?: boolean;
  /** Existing files or folders, links resolved: what a person was shown. A protected name is opened only by naming it itself. */
  readonly writable?: readonly string[];
};

/** `reason`: written for the model. */
export type Confined = Result<{
  /** False: the command is unchanged, because there is no sandbox. */
  readonly sandboxed: boolean;
  readonly command: ProcessCommand;
  /** A line for the model if the output looks as if the sandbox refused something. */
  explain(output: string, exit: ProcessExit): string | undefined;
  /** Call once when the command has ended, however it ended. Returns lines to add to the output. */
  finish(exit: ProcessExit): Promise<readonly string[]>;
}>;

/** What is handed to the sandbox and what comes back: a command to confine, and the command to start instead. */

import type { ProcessCommand, ProcessExit } from '../../host/processes.js';

export type SandboxMode = 'off' | 'auto' | 'required';

/** What one command needs. All paths absolute. */
export type Needs = {
  /** The folders its agent works in: writable, but for the names that are protected. */
  readonly roots: readonly string[];
  /** Also writable without a question: of the git folder in a worktree of ours, and the like (GT-22). */
  readonly writable?: readonly string[];
  /** Stays as it is although something around it is writable. */
  readonly readOnly?: readonly string[];
  /** Files the command reports to us in: made if absent, writable, and not to be replaced by something else. */
  readonly reportFiles?: readonly string[];
  /** What a person granted for this one command. */
  readonly grant?: Grant;
};

export type Grant = {
  readonly network?: boolean;
  /** Files or folders that exist. A protected name is opened only by naming it itself. */
  readonly writable?: readonly string[];
};

export type Confined =
  | {
      readonly ok: true;
      /** False: this is the command as it was given, since there is no sandbox. */
      readonly sandboxed: boolean;
      readonly command: ProcessCommand;
      /** A line for the model when the output looks as if the sandbox had stood in the way. */
      explain(output: string): string | undefined;
      /** To be called once when the command has ended, however it did. Returns lines for the reader of the output. */
      finish(exit: ProcessExit): Promise<readonly string[]>;
    }
  | { readonly ok: false /** Written for the model. */; readonly reason: string };

/**
 * The reading box (GT-23): runs a command where it can only read, and only what it may. The gate asks it before it
 * decides; what was prepared then is what the command gets.
 */

import type { ProcessCommand, ProcessExit } from '../../host/processes.js';
import type { Result } from '../../protocol/result.js';
import type { PathPattern } from '../permissions/rules/path-pattern.js';

export interface ReadingBox {
  /** Whether commands can be confined on this machine. The first call probes; the answer is kept per boot. Never rejects. */
  status(): Promise<BoxStatus>;
  /** Looks at an agent's folders before a decision; cheap when nothing changed. Never rejects. */
  prepare(request: BoxRequest): Promise<Prepared>;
  /** Returns the command to start instead. Only for a permitted command. */
  confine(command: ProcessCommand, box: PreparedBox, show: readonly string[]): Promise<BoxedCommand>;
  /** Removes what was kept on disk. All commands must have ended. */
  close(): Promise<void>;
}

export type BoxStatus =
  | { readonly kind: 'on'; readonly found: string }
  | { readonly kind: 'off' }
  | { readonly kind: 'unavailable'; readonly reason: string };

export type BoxRequest = {
  /** The folders the agent works in, links resolved; the first is the working folder. */
  readonly roots: readonly string[];
  /** Folders that may be read like roots. */
  readonly readRoots: readonly string[];
  /** The patterns of the rules that deny reading. */
  readonly denied: readonly PathPattern[];
};

/** `reason`: why it is not confined here. */
export type Prepared = Result<{ readonly box: PreparedBox }>;

export type PreparedBox = {
  readonly roots: readonly string[];
  readonly readRoots: readonly string[];
  /** Real paths of what the person denied, covered in the box. */
  readonly masks: readonly string[];
  /** Git's objects may hold a denied file: it is or was tracked, or that is not known. */
  readonly deniedInGit: boolean;
  /** False: git needs something that is not shown (a work tree or objects beyond the roots), so it would answer otherwise. */
  readonly gitIsWhole: boolean;
  /** The rest is for the box itself. Which of the masks are folders; pipes, which must not be written to. */
  readonly maskedFolders: readonly string[];
  readonly pipes: readonly string[];
  /** Git folders outside the roots that belong to them. */
  readonly gitFolders: readonly string[];
  /** The folders that are shown, and those with a cover in them, as they were. */
  readonly places: readonly Place[];
  readonly denied: readonly PathPattern[];
};

export type Place = { readonly path: string; readonly identity: string };

export type BoxedCommand = Result<{
  readonly command: ProcessCommand;
  /** A line for the model about what was hidden, after a failure or a refusal. */
  explain(output: string, exit: ProcessExit): string | undefined;
  /** Call once when the command has ended, however it ended. Returns lines to add to the output. */
  finish(exit: ProcessExit): Promise<readonly string[]>;
}>;

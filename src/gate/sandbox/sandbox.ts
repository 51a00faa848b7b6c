/**
 * The sandbox of a session: runs a permitted command with the limits of a profile. It restricts what a command can do;
 * it never permits one. The gate prepares a view of the agent's folders before it decides; what was prepared then is
 * what the command gets.
 */

import type { ProcessCommand, ProcessExit } from '../../host/processes.js';
import type { AgentWorktree } from '../../protocol/events.js';
import type { Result } from '../../protocol/result.js';
import type { PathPattern } from '../permissions/rules/path-pattern.js';

export interface Sandbox {
  /** Whether commands can be confined on this machine. The first call probes; the answer is kept per boot. Never rejects. */
  status(): Promise<SandboxStatus>;
  /** Looks at an agent's folders before a decision; cheap when nothing changed. Never rejects. */
  prepare(request: ViewRequest): Promise<Prepared>;
  /**
   * Returns the command to start instead. Only for a permitted command. Where there is no sandbox, a command that only
   * its limits permit is refused, and the others are unchanged. Never rejects.
   */
  confine(command: ProcessCommand, profile: Profile, place: Place): Promise<Confined>;
  /** Removes what was kept on disk. All commands must have ended. */
  close(): Promise<void>;
}

export type SandboxStatus =
  | {
      readonly kind: 'on';
      readonly found: string;
      /** Which commands it is for: with any profile, or only those that read. */
      readonly confines: 'all' | 'reads';
    }
  | { readonly kind: 'unavailable'; readonly reason: string };

/** The limits of a command, narrowest first (GT-35). */
export type Profile =
  /** Nothing is writable, and only the roots and installed programs are there (GT-23). `show`: other real paths to read. `wholeGit`: git alone, with all of the repositories that the roots are parts of. */
  | { readonly kind: 'reading'; readonly show: readonly string[]; readonly wholeGit?: boolean }
  /** The same, and the roots are writable less git folders and protected names (GT-36). `git`: it may store files in git. */
  | { readonly kind: 'working'; readonly show: readonly string[]; readonly git: boolean }
  /** The machine read-only, the roots writable less protected names, no network (GT-19). */
  | { readonly kind: 'sandboxed'; readonly grant: Grant }
  /** The machine as it is, less what is protected (GT-34). `containers`: the rule names a program that starts them. */
  | { readonly kind: 'ruled'; readonly containers: boolean };

export type Grant = {
  readonly network?: boolean;
  /** Existing files or folders, links resolved: what a person was shown. A protected name is opened only by naming it itself. */
  readonly writable?: readonly string[];
};

/** The agent's surroundings. All paths are absolute. */
export type Place = {
  /** The folders it works in. */
  readonly roots: readonly string[];
  /** It works in a worktree of ours: it can change nothing of the checkout but that worktree and its branch (GT-22). */
  readonly worktree?: AgentWorktree | undefined;
  /** What was prepared for the decision. Required for reading and working. */
  readonly view?: View | undefined;
};

export type ViewRequest = {
  /** The folders the agent works in, links resolved; the first is the working folder. */
  readonly roots: readonly string[];
  /** Folders that may be read like roots. */
  readonly readRoots: readonly string[];
  /** The patterns of the rules that deny reading, or ask. */
  readonly denied: readonly PathPattern[];
  /** The patterns of the rules that deny editing, or ask. */
  readonly fixed: readonly PathPattern[];
  /** The command sees the whole machine: only denied files matter. */
  readonly wide: boolean;
};

/** `reason`: why it is not confined here. */
export type Prepared = Result<{ readonly view: View }>;

export type View = ViewRequest & {
  /** Real paths of what the person denied, covered for the command. */
  readonly masks: readonly string[];
  /** Git's objects may hold a denied file: it is or was tracked, or that is not known. */
  readonly deniedInGit: boolean;
  /** False: git needs something that is not shown (a work tree or objects beyond the roots), so it would answer otherwise. */
  readonly gitIsWhole: boolean;
  /** Files and folders in the roots that rules keep from being edited. Undefined: too many to be guarded one by one. */
  readonly unchanged: readonly string[] | undefined;
  /** The rest is for the sandbox itself. Git's stores that may hold denied files, covered where git is not needed. */
  readonly stores: readonly string[];
  /** Which of the masks are folders; pipes, which must not be written to. */
  readonly maskedFolders: readonly string[];
  readonly pipes: readonly string[];
  /** Git folders outside the roots that belong to them. */
  readonly gitFolders: readonly string[];
  /** The folders that are shown, and those with a cover in them, as they were. */
  readonly places: readonly RecordedPath[];
};

export type RecordedPath = { readonly path: string; readonly identity: string };

/** `reason`: written for the model. */
export type Confined = Result<{
  /** False: the command is unchanged, because there is no sandbox. */
  readonly isConfined: boolean;
  readonly command: ProcessCommand;
  /** A line for the model about what was refused or hidden, if the output looks like it. */
  explain(output: string, exit: ProcessExit): string | undefined;
  /** Call once when the command has ended, however it ended. Returns lines to add to the output. */
  finish(exit: ProcessExit): Promise<readonly string[]>;
}>;

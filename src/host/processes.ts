/** The process port. Each process leads its own group and is ended as a group, so no grandchild survives. */

import type { Readable, Writable } from 'node:stream';

export interface Processes {
  /** Starts a program. Never throws: if it can't be started, `exit` resolves with `error` set. */
  start(command: ProcessCommand): RunningProcess;
  /** Runs a program to its end. Returns up to `maxBytes` of output per stream; the rest is counted and dropped. */
  run(command: ProcessCommand & RunLimits): Promise<FinishedProcess>;
  /**
   * Ends the processes marked with this session, in any process group or system session: SIGTERM, then SIGKILL. `of`:
   * those that calls started through this process, or all that an earlier process left behind. Never this process or an
   * ancestor. Resolves with those found; none if the system doesn't show marks.
   */
  endMarked(session: string, of: 'this-process' | 'earlier-process'): Promise<readonly EndedProcess[]>;
  /**
   * Ends the processes with this value of an environment variable, in any process group or system session: SIGTERM,
   * then SIGKILL after `graceMs` (default 500). Never this process or an ancestor. Resolves with those found; none if
   * the system doesn't show them.
   */
  endByVariable(variable: string, value: string, graceMs?: number): Promise<readonly FoundProcess[]>;
  /**
   * Ends the group that a process leads, also one started by an earlier process of ours: SIGTERM, then SIGKILL after
   * `graceMs` (default 500). The caller must have verified that the pid was not reused.
   */
  endGroup(leader: number, graceMs?: number): Promise<void>;
  /**
   * Returns the processes that work in a folder, given by its real path, or below it: it is their working folder, or an
   * argument of a running git. None if the system doesn't show them.
   */
  workingIn(folder: string): Promise<readonly FoundProcess[]>;
}

export type FoundProcess = { readonly pid: number; readonly command: string };

/** The call a process was started for, stored in its environment (see process-mark.ts). */
export type ProcessMark = {
  readonly session: string;
  readonly agent: string;
  /** The id of a call; for a hook's program, its cause. */
  readonly call: string;
};

export type EndedProcess = FoundProcess & {
  readonly mark: ProcessMark;
  /** False if it could not be ended. */
  readonly isGone: boolean;
};

export type ProcessCommand = {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The complete environment of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Added to its environment. */
  readonly mark?: ProcessMark;
  /** Written to standard input, which is then closed. Omitted: no input (/dev/null); 'open': see `stdin`. */
  readonly input?: string | Uint8Array | 'open';
  /** Descriptors beyond the standard three, numbered from 3 in this order. No others are inherited. */
  readonly descriptors?: readonly Descriptor[];
};

export type Descriptor =
  /** A file opened for reading. */
  | { readonly kind: 'file'; readonly path: string }
  /** Data written to it is returned by `report`. At most one. */
  | { readonly kind: 'report' };

export type RunLimits = {
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
};

export interface RunningProcess {
  /** Undefined if it could not be started. */
  readonly pid: number | undefined;
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process has ended; never rejects. */
  readonly exit: Promise<ProcessExit>;
  /**
   * The last 64 KB written to the report descriptor; empty without one. Resolves after the end, when the last writer
   * has closed it or a moment later: a leftover process may hold it open.
   */
  report(): Promise<Buffer>;
  /** Ends the whole group: SIGTERM, then SIGKILL after `graceMs` (default 500). Resolves when the group has ended. */
  end(graceMs?: number): Promise<void>;
  /** True while any process of the group runs: the leader or one it left behind. Zombies are ignored. */
  groupRuns(): Promise<boolean>;
}

export type ProcessExit = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not be started (ENOENT, EACCES, E2BIG …). */
  readonly error?: Error;
};

export type FinishedProcess = ProcessExit & {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly timedOut: boolean;
  readonly aborted: boolean;
};

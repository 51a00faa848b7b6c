/** Processes. Each is started as the leader of its own group and is ended as a group: no grandchild stays behind. */

import type { Readable, Writable } from 'node:stream';

export interface Processes {
  /** Starts a program. A program that can't be started gives an `exit` with `error` set; nothing throws. */
  start(command: ProcessCommand): RunningProcess;
  /** Runs a program to its end, output kept up to `maxBytes` a stream (the rest is counted and dropped). */
  run(command: ProcessCommand & RunLimits): Promise<FinishedProcess>;
}

export type ProcessCommand = {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Written to the process's standard input, which is then closed. Omitted: no input (/dev/null); 'open': see `stdin`. */
  readonly input?: string | Uint8Array | 'open';
};

export type RunLimits = {
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
};

export interface RunningProcess {
  /** Undefined when it could not be started. */
  readonly pid: number | undefined;
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process has ended; never rejects. */
  readonly exit: Promise<ProcessExit>;
  /** Ends the whole group: SIGTERM, after `graceMs` (default 500) SIGKILL. Resolves when the group is gone. */
  end(graceMs?: number): Promise<void>;
  /** Something of the group still runs: the leader, or what it left behind. The dead that nobody collected don't count. */
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

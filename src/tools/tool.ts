/** The tool port, and the context a tool runs in. */

import type { Host } from '../host/host.js';
import type { Locked } from '../host/locks/with-lock.js';
import type { ProcessCommand, ProcessExit, RunningProcess } from '../host/processes.js';
import type { Action } from '../protocol/action.js';
import type { ToolOutcome } from '../protocol/outcome.js';
import type { Result } from '../protocol/result.js';
import type { TodoItem } from '../protocol/tools/todo-write.js';
import type { FilesRead } from './files-read.js';
import type { PathContext } from './path-context.js';

export interface Tool<Input = unknown> {
  readonly name: string;
  /** Other names that rules, hooks and models may use. */
  readonly aliases?: readonly string[] | undefined;
  /** The text the model reads. */
  readonly description: string;
  /** The input schema the model gets. May be a getter that builds it on first use; must not change. */
  readonly inputSchema: JsonSchema;
  /** May run in parallel with its neighbours: it only reads or starts a child, and changes nothing itself. */
  readonly concurrent: boolean;
  /** Starts a child and waits for it. Such calls are exempt from the limit of parallel calls. */
  readonly startsChild?: boolean;
  /** May start a child and wait for it: on an abort, the child gets time to end. */
  readonly mayStartChild?: boolean;
  /** Input fields whose text is written to files or compared with them: escapes in it are removed (GT-31). */
  readonly quotes?: readonly string[] | 'all';
  /** Input fields that only hooks and the user may set. A model's are dropped. */
  readonly notByModel?: readonly string[];
  /** Asks the user a question when it runs, so no permission prompt is needed. */
  readonly asksPerson?: boolean;
  /** A successful call ends the main agent's run, which can't succeed without one. */
  readonly concludes?: boolean;
  /** The limit of a result's text in the conversation, if not the common one (see bounds.ts). */
  readonly maxResultChars?: number;
  /**
   * Only for a tool that forwards to others: resolves the tool for a model's input. Gate, hooks, records and limits
   * then treat the call as that tool's. Pure; must not throw.
   */
  forwards?(raw: unknown): Forwarded;
  /** Finds a tool it forwards to by name: a model that has read about it may call it as if it were declared. */
  finds?(name: string): Tool | undefined;
  /** Parses a model's input. Pure; must not throw: invalid input returns a reason for the model. */
  parse(raw: unknown): ParsedInput<Input>;
  /** Declares what the call of `agent` is about to do. Pure: no I/O. Paths are absolute and normalised. */
  declare(input: Input, at: PathContext, agent?: string): readonly Action[];
  /** Must not throw for anything a model or the machine can cause: an expected failure is an outcome with `isError`. */
  run(input: Input, context: ToolContext): Promise<ToolOutcome>;
}

/** The JSON Schema of an object, as sent to the model. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type ParsedInput<Input> = Result<{ readonly input: Input }>;

export type Forwarded = Result<{ readonly tool: Tool; readonly raw: unknown }>;

export interface ToolContext {
  /** The machine. `host.folder` is the agent's root folder. */
  readonly host: Host;
  /** Cancels the call. The call and its processes must then end within a second. */
  readonly signal: AbortSignal;
  readonly callId: string;
  /** The calling agent. */
  readonly agentId: string;
  /** Which files this agent has read, and their versions. */
  readonly files: FilesRead;
  /** The folder of this agent's shell. Only `cd` in Bash changes it. */
  readonly shell: { cwd: string };
  /** The folders that searches and the shell stay in (links resolved). */
  readonly roots: readonly string[];
  /**
   * For each declared path, the real path that the gate judged. A tool that resolves another path when it acts must
   * refuse, so that it opens what was checked. Omitted: the tool resolves once at its start and keeps the result.
   */
  readonly judged?: ReadonlyMap<string, string>;
  /** What the gate judged. A tool whose declaration depends on the session must refuse if it would differ now. */
  readonly declared?: readonly Action[];
  readonly todos: { items: readonly TodoItem[] };
  /** The agent's own notes, if it has any. */
  readonly memory?: OwnMemory;
  /** Saves text that is too long for the conversation. Returns the path of the file. */
  keepOutput(name: string, content: string | Uint8Array): Promise<string>;
  /** Returns a path in the session's `tool-results` folder for streamed output. The folder exists. */
  outputPath(name: string): Promise<string>;
  /** Wraps a shell command to run as the gate decided: in the sandbox or the read-only sandbox. Absent: neither. */
  readonly confine?: (command: ProcessCommand, options: ConfineOptions) => Promise<ConfinedCommand>;
  /** Decides whether a file that a search found may be read. Absent: nothing is denied. */
  readonly mayRead?: (path: string) => boolean;
  /** Turns a running command into a background task. Absent: background commands are not available. */
  readonly keepRunning?: (command: BackgroundCommand) => Promise<BackgroundTask>;
  /**
   * Registers that the call can move to the background: `move` is called at most once, when the user requests it.
   * Returns a function to unregister, which must be called when the call can no longer move. Absent: the call is
   * awaited.
   */
  readonly onMove?: (move: () => void) => () => void;
  /** Moves a long call to the background. Absent: the call is awaited. */
  readonly keepCalling?: MoveCalls;
  /** Reports progress to listeners, as one line. */
  progress(line: string): void;
}

/** The folder of an agent's notes, which several agents and processes may change concurrently (ME-8). */
export type OwnMemory = {
  /** Its real path. */
  readonly folder: string;
  /** Files in it get mode 0600, folders 0700. */
  readonly isPrivate: boolean;
  /** A folder above it that is under version control, created with normal permissions. */
  readonly shared?: string;
  /** Resolves when its initial content is in place, or can't be. Never rejects. */
  prepared(): Promise<void>;
  /** Runs `work` exclusively. Fails if another process holds the lock and does not release it. */
  inTurn<T>(work: () => Promise<T>): Promise<Locked<T>>;
};

export type ConfineOptions = {
  /** Permissions for this command only; real paths. */
  readonly grant: { readonly network?: boolean; readonly writable?: readonly string[] } | undefined;
};

export type ConfinedCommand = Result<{
  readonly command: ProcessCommand;
  /** Returns a note for the model if something appears to have been refused or hidden. */
  explain(output: string, exit: ProcessExit): string | undefined;
  /** Must be called once, when the command has ended. Returns lines to add to its output. */
  finish(exit: ProcessExit): Promise<readonly string[]>;
}>;

export type BackgroundCommand = {
  readonly command: string;
  readonly process: RunningProcess;
  /** Its output so far, if it was awaited until now. */
  readonly printed?: Uint8Array;
  /** Must be called once, when the command and all its processes have ended. Returns lines to add to its output. */
  readonly finish?: (exit: ProcessExit) => Promise<readonly string[]>;
};

export type MoveCalls = {
  /** How long to wait before moving it. */
  readonly afterMs: number;
  keep(call: BackgroundCall): Promise<BackgroundTask>;
};

export type BackgroundCall = {
  readonly tool: string;
  /** Must not reject. */
  readonly outcome: Promise<ToolOutcome>;
  cancel(): void;
};

export type BackgroundTask = {
  readonly id: string;
  /** The file its output is streamed to. */
  readonly outputFile: string;
  /** True if it is stopped when its agent ends. */
  readonly endsWithAgent: boolean;
};

/** A tool as declared to the model. */
export type ToolDeclaration = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
};

/** The tool port, and the context a tool runs in. */

import type { Host } from '../host/host.js';
import type { Locked } from '../host/locks/with-lock.js';
import type { ProcessCommand, ProcessExit, RunningProcess } from '../host/processes.js';
import type { Action } from '../protocol/action.js';
import type { ToolOutcome } from '../protocol/outcome.js';
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
  /** Starts a child and waits for it. Such calls don't count towards the limit of parallel calls. */
  readonly startsChild?: boolean;
  /** It may start a child and wait for it: when it is aborted, the child is given time to end. */
  readonly mayStartChild?: boolean;
  /** Fields of the input whose text goes into files or is compared with theirs: marks in it are taken off (GT-31). */
  readonly quotes?: readonly string[] | 'all';
  /** Fields of the input that only hooks and the person may give. In a model's they are left out. */
  readonly notByModel?: readonly string[];
  /** It puts a question to the person when it runs: whether it may is not asked before. */
  readonly asksPerson?: boolean;
  /** The main agent's run ends with a call of it that succeeds, and does not end well without one. */
  readonly concludes?: boolean;
  /** How much text of a result goes into the conversation, if not the common limit (see bounds.ts). */
  readonly maxResultChars?: number;
  /**
   * Only for a tool that stands for others: which one a model's input means. The call is then that one's in all that
   * follows: gate, hooks, records, limits. Pure; must not throw.
   */
  forwards?(raw: unknown): Forwarded;
  /** One that it forwards to, by its name: a model that has read of it may call it as if it were declared. */
  finds?(name: string): Tool | undefined;
  /** Parses a model's input. Pure; must not throw: invalid input returns a reason for the model. */
  parse(raw: unknown): ParsedInput<Input>;
  /** Declares what the call is about to do. Pure: no I/O. Paths are absolute and normalised. */
  declare(input: Input, at: PathContext): readonly Action[];
  /** Must not throw for anything a model or the machine can cause: an expected failure is an outcome with `isError`. */
  run(input: Input, context: ToolContext): Promise<ToolOutcome>;
}

/** The JSON Schema of an object, as sent to the model. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type ParsedInput<Input> =
  | { readonly ok: true; readonly input: Input }
  | { readonly ok: false; readonly reason: string };

export type Forwarded =
  | { readonly ok: true; readonly tool: Tool; readonly raw: unknown }
  | { readonly ok: false; readonly reason: string };

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
  readonly todos: { items: readonly TodoItem[] };
  /** The agent's own notes, if it has any. */
  readonly memory?: OwnMemory;
  /** Saves text that is too long for the conversation. Returns the path of the file. */
  keepOutput(name: string, content: string | Uint8Array): Promise<string>;
  /** Returns a path in the session's `tool-results` folder for streamed output. The folder exists. */
  outputPath(name: string): Promise<string>;
  /** Wraps a shell command so that it runs where the gate's decision says: in the sandbox or the reading box. Absent: neither. */
  readonly confine?: (command: ProcessCommand, options: ConfineOptions) => Promise<ConfinedCommand>;
  /** Whether a file may be read, for files that a search finds by itself. Absent: nothing is denied. */
  readonly mayRead?: (path: string) => boolean;
  /** Turns a running command into a background task. Absent: background commands are not available. */
  readonly keepRunning?: (command: BackgroundCommand) => Promise<BackgroundTask>;
  /**
   * Tells that the call can go on in the background: `move` is called when the person wants that, at most once. Returns how
   * to take it back, which must be done when the call can no longer be moved. Absent: it is waited for.
   */
  readonly onMove?: (move: () => void) => () => void;
  /** Lets a call that takes long go on in the background. Absent: it is waited for. */
  readonly keepCalling?: MoveCalls;
  /** Reports progress to listeners, as one line. */
  progress(line: string): void;
}

/** The folder of an agent's notes, which several agents and processes may change at once (ME-8). */
export type OwnMemory = {
  /** Its real path. */
  readonly folder: string;
  /** Files in it get mode 0600, folders 0700. */
  readonly isPrivate: boolean;
  /** A folder on the way to it that is in version control: made as any other. */
  readonly shared?: string;
  /** Resolves when what it starts with has been put there, or can't be. Never rejects. */
  prepared(): Promise<void>;
  /** Nobody else changes it meanwhile. Fails if another process holds it and does not let go. */
  inTurn<T>(work: () => Promise<T>): Promise<Locked<T>>;
};

export type ConfineOptions = {
  /** What was granted for this command only; real paths. */
  readonly grant: { readonly network?: boolean; readonly writable?: readonly string[] } | undefined;
};

export type ConfinedCommand =
  | {
      readonly ok: true;
      readonly command: ProcessCommand;
      /** Returns a line for the model if it looks as if something was refused or hidden. */
      explain(output: string, exit: ProcessExit): string | undefined;
      /** Must be called once, when the command has ended. Returns lines to add to its output. */
      finish(exit: ProcessExit): Promise<readonly string[]>;
    }
  | { readonly ok: false; readonly reason: string };

export type BackgroundCommand = {
  readonly command: string;
  readonly process: RunningProcess;
  /** What it has printed so far, if it was waited for until now. */
  readonly printed?: Uint8Array;
  /** Must be called once, when the command and all its processes have ended. Returns lines to add to its output. */
  readonly finish?: (exit: ProcessExit) => Promise<readonly string[]>;
};

export type MoveCalls = {
  /** How long it is waited for. */
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
  /** Whether it is stopped when its agent ends. */
  readonly endsWithAgent: boolean;
};

/** A tool as declared to the model. */
export type ToolDeclaration = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
};

/** What a tool is, and what it may use while it runs. */

import type { Host } from '../host/host.js';
import type { ProcessCommand, ProcessExit, RunningProcess } from '../host/processes.js';
import type { Action } from '../protocol/action.js';
import type { ToolOutcome } from '../protocol/outcome.js';
import type { FilesRead } from './files-read.js';
import type { PathContext } from './path-context.js';

export interface Tool<Input = unknown> {
  readonly name: string;
  /** Other names under which rules, hooks and models know it. */
  readonly aliases?: readonly string[];
  /** The text the model reads. */
  readonly description: string;
  /** What the model is told of the input. May be a getter that builds it when it is first read; it must not change. */
  readonly inputSchema: JsonSchema;
  /** May run beside its neighbours: it reads, or starts a child, and changes nothing here itself. */
  readonly concurrent: boolean;
  /** Starts a child and waits for it: such calls don't count among those that work at the same time. */
  readonly startsChild?: boolean;
  /** How much text of a result goes into the conversation, where it differs from the common bound (see bounds.ts). */
  readonly maxResultChars?: number;
  /** Reads a model's input. Pure, and must not throw: what can't be understood is a reason for the model to read. */
  parse(raw: unknown): ParsedInput<Input>;
  /** What the call is about to do. Pure: it touches nothing. Paths are absolute and normalised. */
  declare(input: Input, at: PathContext): readonly Action[];
  /** Must not throw for anything a model or a machine can cause: an expected failure is an outcome with `isError`. */
  run(input: Input, context: ToolContext): Promise<ToolOutcome>;
}

/** A JSON Schema of an object, as the model is told it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type ParsedInput<Input> =
  | { readonly ok: true; readonly input: Input }
  | { readonly ok: false; readonly reason: string };

export interface ToolContext {
  /** The machine as this agent sees it; `host.folder` is the agent's root folder. */
  readonly host: Host;
  /** Aborts the call: it must then end within a second, with its processes. */
  readonly signal: AbortSignal;
  readonly callId: string;
  /** The agent that calls. */
  readonly agentId: string;
  /** Which files this agent has read, and in what state they were. */
  readonly files: FilesRead;
  /** Where this agent's shell stands. `cd` in Bash moves it; nothing else does. */
  readonly shell: { cwd: string };
  /** Folders searches stay inside of and a shell may stand in (links resolved). */
  readonly roots: readonly string[];
  /**
   * For each path the call declared, the real path that was judged. A tool that finds another one when it acts refuses,
   * so that what is opened is what was checked. Omitted: the tool resolves once at its start and holds on to that.
   */
  readonly judged?: ReadonlyMap<string, string>;
  readonly todos: { items: readonly TodoItem[] };
  /** Keeps text that is too long for the conversation; returns the path of the file. */
  keepOutput(name: string, content: string | Uint8Array): Promise<string>;
  /** A path in the session's `tool-results` folder for output that is written while it comes. The folder exists. */
  outputPath(name: string): Promise<string>;
  /** The command to start instead of a shell command, where there is a sandbox. */
  readonly confine?: (command: ProcessCommand, wish: ConfineOptions) => Promise<ConfinedCommand>;
  /** Whether a file may be read, for searches that meet files nobody named. Absent: nothing is denied. */
  readonly mayRead?: (path: string) => boolean;
  /** Hands a running command over: it runs on as a task. Absent: nothing runs in the background here. */
  readonly keepRunning?: (command: KeptCommand) => KeptTask;
  /** One line about what is going on, for those who watch. */
  progress(line: string): void;
}

export type ConfineOptions = {
  /** A file the command reports to us in. */
  readonly reportFile: string;
  /** What was granted for this one command. */
  readonly grant: { readonly network?: boolean; readonly writable?: readonly string[] } | undefined;
};

export type ConfinedCommand =
  | {
      readonly ok: true;
      readonly command: ProcessCommand;
      /** A line for the model when the output looks as if the sandbox had stood in the way. */
      explain(output: string): string | undefined;
      /** To be called once when the command has ended. Returns lines for the reader of its output. */
      finish(exit: ProcessExit): Promise<readonly string[]>;
    }
  | { readonly ok: false; readonly reason: string };

export type KeptCommand = {
  readonly command: string;
  readonly process: RunningProcess;
  /** The keeper must call it once, when the command and all it started have ended. Returns lines for its reader. */
  readonly finish?: (exit: ProcessExit) => Promise<readonly string[]>;
};

export type KeptTask = {
  readonly id: string;
  /** Where its output is written as it comes. */
  readonly outputFile: string;
  /** It is ended with the agent that started it. */
  readonly endsWithAgent: boolean;
};

export type TodoItem = {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly activeForm: string;
  readonly id?: string;
};

/** The declaration the model sees of a tool. */
export type ToolDeclaration = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
};

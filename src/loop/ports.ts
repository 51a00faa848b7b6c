/** The functions the loop needs from the rooms below. The engine provides them. */

import type { Gate } from '../gate/gate.js';
import type { Permitted } from '../gate/sandbox/confine-permitted.js';
import type { Locked } from '../host/locks/with-lock.js';
import type { ProcessCommand } from '../host/processes.js';
import type { Prefix } from '../model/prefix.js';
import type { ModelProvider } from '../model/provider.js';
import type { AgentMemory } from '../protocol/agent-spawned.js';
import type { Changes } from '../protocol/permission.js';
import type { Result } from '../protocol/result.js';
import type { Input } from '../session/inbox.js';
import type { BackgroundCommand, BackgroundTask, ConfinedCommand, ConfineOptions, MoveCalls } from '../tools/tool.js';
import type { Agent } from './agent.js';

export interface MemoryPort {
  /** Prepares the memory folder of an agent. Never rejects. */
  prepared(folder: string): Promise<void>;
  withLock<T>(memory: AgentMemory, work: () => Promise<T>): Promise<Locked<T>>;
}

/** A replacement for the rest of a turn when an agent's own model is overloaded. */
export interface Fallback {
  /** The model's id; undefined if the agent has no fallback or already uses it. */
  modelFor(agent: Agent): string | undefined;
  /** Switches the agent to it until its run ends. Call it only between two requests. */
  take(agent: Agent): Promise<void>;
}

/** What a call changes: real paths. */
export type ChangedFiles = {
  /** Files that an edit tool changes. */
  readonly edited: readonly string[];
  /** What a command may delete, overwrite or create, if that is known. */
  readonly byCommand?: Changes;
};

export interface Ports {
  /** The session id used to mark its processes. */
  readonly markedSession: string;
  readonly model: ModelProvider;
  readonly fallback?: Fallback;
  readonly gate: Gate;
  /** For replaying a recorded session: holds agents back until their turn. */
  readonly pace?: Pace;
  /** Stores the prefix before the first request that uses it. */
  savePrefix(prefix: Prefix): Promise<void>;
  /** Instructions for a file that was touched, returned once per agent and again after a compaction. */
  instructionsFor(agent: Agent, path: string): Promise<string | undefined>;
  /** Waits at a safe point for slow clients, so that their queues stay bounded (CL-8). */
  clientsReady?(signal: AbortSignal): Promise<unknown> | undefined;
  /** Notifies an agent at a safe point if its mode has changed. */
  announceMode?(agent: Agent): Promise<void>;
  /** Reports tool responses in the form hooks read. */
  readonly reportsResponses?: boolean;
  saveOutput(name: string, content: string | Uint8Array): Promise<string>;
  outputPath(name: string): Promise<string>;
  /**
   * Stores files before a call changes them. If it fails, the call must not run. `skipped`: what a rewind can't restore.
   */
  backUpFiles?(
    agent: Agent,
    call: string,
    changed: ChangedFiles,
  ): Promise<Result<{ readonly skipped: readonly string[] }>>;
  /** Records the files after the call, or after its command in the background. Call it once. */
  noteFiles?(agent: Agent, call: string, changed: ChangedFiles): Promise<void>;
  /** Confines a shell command as decided: in the read-only sandbox, or in the sandbox if there is one. */
  confine(agent: Agent, command: ProcessCommand, options: ConfineOptions & Permitted): Promise<ConfinedCommand>;
  /** The memory of agents that have one. */
  readonly memory: MemoryPort;
  /** Takes over a background command; absent if there is no background. */
  adoptCommand?(agent: Agent, call: string, command: BackgroundCommand): Promise<BackgroundTask>;
  /** Takes over a long MCP call; undefined if the agent waits for it. */
  adoptCall?(agent: Agent, call: string): MoveCalls | undefined;
}

export interface Pace {
  /** Resolves when the agent may build its next request, or the signal aborts. */
  beforeTurn(agent: string, signal: AbortSignal): Promise<void>;
  /** Resolves when the agent's run may end, unless new input must be answered first. */
  beforeEnd(agent: string, signal: AbortSignal): Promise<void>;
  /** Resolves when the input may reach the agent. */
  beforeInput(agent: string, input: Input): Promise<void>;
}

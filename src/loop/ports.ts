/** What the loop needs from the rooms below, as one object of functions. The engine provides it. */

import type { Permitted } from '../gate/confine/confine-permitted.js';
import type { Gate } from '../gate/gate.js';
import type { Locked } from '../host/locks/with-lock.js';
import type { ProcessCommand } from '../host/processes.js';
import type { Prefix } from '../model/prefix.js';
import type { ModelProvider } from '../model/provider.js';
import type { AgentMemory } from '../protocol/agent-spawned.js';
import type { Input } from '../session/inbox.js';
import type { BackgroundCommand, BackgroundTask, ConfinedCommand, ConfineOptions, MoveCalls } from '../tools/tool.js';
import type { Agent } from './agent.js';

export interface MemoryPort {
  /** By the folder of the notes. Never rejects. */
  prepared(folder: string): Promise<void>;
  inTurn<T>(memory: AgentMemory, work: () => Promise<T>): Promise<Locked<T>>;
}

/** Another model for the rest of a turn in which an agent's own is overloaded. */
export interface Fallback {
  /** Its id; undefined where the agent has none, or is on it. */
  modelFor(agent: Agent): string | undefined;
  /** Puts the agent on it until its run ends. Between two requests only. */
  take(agent: Agent): Promise<void>;
}

export interface Ports {
  /** The session as the marks of its processes name it. */
  readonly markedSession: string;
  readonly model: ModelProvider;
  readonly fallback?: Fallback;
  readonly gate: Gate;
  /** Where a recorded session is replayed: what agents do is held back until it is its turn. */
  readonly pace?: Pace;
  /** Stored before the first request that uses it. */
  keepPrefix(prefix: Prefix): Promise<void>;
  /** Instructions for a file that was touched: given once to each agent, and again after a compaction. */
  instructionsFor(agent: Agent, path: string): Promise<string | undefined>;
  /** Waits at a safe point for clients that read slowly: what is made for them stays bounded (CL-8). */
  clientsReady?(signal: AbortSignal): Promise<unknown> | undefined;
  /** Tells an agent at a safe point of the mode it is in, if that is another than it was told. */
  tellMode?(agent: Agent): Promise<void>;
  /** What tools answer is told of, as hooks read it. */
  readonly tellsResponses?: boolean;
  keepOutput(name: string, content: string | Uint8Array): Promise<string>;
  outputPath(name: string): Promise<string>;
  /** Keeps the content of files before a call changes them. Returns a reason when it can't; then the call must not run. */
  keepFiles?(agent: Agent, call: string, paths: readonly string[]): Promise<string | undefined>;
  /** Records what the files hold after the call. */
  noteFiles?(agent: Agent, call: string, paths: readonly string[]): Promise<void>;
  /** Puts a shell command where the decision says: into the reading box, or into the sandbox where there is one. */
  confine(agent: Agent, command: ProcessCommand, options: ConfineOptions & Permitted): Promise<ConfinedCommand>;
  /** The notes of agents that have some. */
  readonly memory: MemoryPort;
  /** Takes over a background command; absent where there is no background. */
  keepRunning?(agent: Agent, call: string, command: BackgroundCommand): Promise<BackgroundTask>;
  /** Takes over a call of a server that takes long; undefined where it is waited for. */
  keepCalling?(agent: Agent, call: string): MoveCalls | undefined;
}

export interface Pace {
  /** Resolves when the agent may put its next request together, or the signal aborts. */
  beforeTurn(agent: string, signal: AbortSignal): Promise<void>;
  /** Resolves when the agent's run may end, unless something has come that it is to answer first. */
  beforeEnd(agent: string, signal: AbortSignal): Promise<void>;
  /** Resolves when the input may reach the agent. */
  beforeInput(agent: string, input: Input): Promise<void>;
}

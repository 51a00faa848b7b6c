/** The memory of a session's agents: given at their start, prepared beside their work, changed one at a time. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { Requester } from '../../gate/requester.js';
import type { Locked } from '../../host/locks/with-lock.js';
import type { AgentMemory } from '../../protocol/agent-spawned.js';
import type { Tool } from '../../tools/tool.js';

export interface SessionMemory {
  /** What an agent starts with. Never waits for a folder to be made (ME-10). Never rejects. */
  give(request: MemoryRequest): Promise<GivenMemory>;
  /** What its notes say now. */
  read(memory: AgentMemory): Promise<RememberedText>;
  /** Resolves when the team's snapshot has been put there, or can't be. Never rejects. */
  prepared(folder: string): Promise<void>;
  /** Nobody else changes the folder meanwhile, in this process or another. */
  inTurn<T>(memory: AgentMemory, work: () => Promise<T>): Promise<Locked<T>>;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

export type MemoryRequest = {
  readonly definition: AgentDefinition;
  /** The types there are. */
  readonly known: readonly string[];
  /** Those it has by its definition. */
  readonly tools: readonly Tool[];
  /** All there are. */
  readonly all: readonly Tool[];
  /** It can't change anything. */
  readonly readOnly: boolean;
  /** Who asks the person about a newer snapshot; undefined: nobody can be asked yet. */
  readonly requester: Requester | undefined;
  readonly signal: AbortSignal;
};

export type GivenMemory = {
  readonly tools: readonly Tool[];
  /** For people: why it has none, or what to do. */
  readonly lines: readonly string[];
  /** Undefined: it starts without. */
  readonly own?: { readonly memory: AgentMemory; readonly section: string; readonly hash: string };
};

export type RememberedText = {
  readonly hash: string;
  /** Of the file, if there is one. */
  readonly version?: { readonly mtimeMs: number; readonly size: number };
  /** For the agent, when they are others than it was given. */
  readonly changed: string;
};

/** Nothing of it is loaded before the first agent with a memory. */
export function lazyMemory(load: () => Promise<SessionMemory>): SessionMemory {
  let loading: Promise<SessionMemory> | undefined;
  const loaded = () => (loading ??= load());
  return {
    give: async (request) => (await loaded()).give(request),
    read: async (memory) => (await loaded()).read(memory),
    prepared: async (folder) => (await loading)?.prepared(folder),
    inTurn: async (memory, work) => (await loaded()).inTurn(memory, work),
    close: async () => (await loading)?.close(),
  };
}

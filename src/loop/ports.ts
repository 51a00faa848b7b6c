/** Everything the loop needs of the floor below, as one object of functions. Whoever wires a session fills it in. */

import type { ModelClient } from '../model/model-client.js';
import type { Prefix } from '../model/prefix.js';
import type { Action } from '../protocol/action.js';
import type { Decision } from '../protocol/permission.js';
import type { Tool } from '../tools/tool.js';
import type { Agent } from './agent.js';

export interface Ports {
  readonly model: ModelClient;
  /** The tools this agent may call, whatever the model was told. */
  findTool(agent: Agent, name: string): Tool | undefined;
  toolNames(agent: Agent): readonly string[];
  readonly gate: GatePort;
  readonly hooks: HooksPort;
  /** Stored before the first request that uses it. */
  keepPrefix(prefix: Prefix): Promise<void>;
  keepOutput(name: string, content: string | Uint8Array): Promise<string>;
  outputPath(name: string): Promise<string>;
}

/** A call the gate is asked about: parsed, with what it declares. */
export type GatedCall = {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly actions: readonly Action[];
};

export interface GatePort {
  /** Rules and mode; touches nothing. */
  decide(agent: Agent, call: GatedCall): Promise<Decision>;
  /** Puts the question to whoever can answer. Must settle when the signal aborts (as a denial). */
  ask(agent: Agent, call: GatedCall, question: string, signal: AbortSignal): Promise<Answer>;
}

export type Answer =
  | { readonly behavior: 'allow'; readonly by: string; readonly updatedInput?: unknown }
  | { readonly behavior: 'deny'; readonly by: string; readonly reason: string; readonly interrupt?: boolean };

export interface HooksPort {
  /** Before a call. A rewritten input passes parsing and the gate again. */
  beforeCall(agent: Agent, call: GatedCall, signal: AbortSignal): Promise<BeforeCall>;
  /** After a call; what it adds is told to the model with the result. */
  afterCall(agent: Agent, call: GatedCall, result: AfterCallInput, signal: AbortSignal): Promise<AfterCall>;
  /** When the agent wants to stop; a reason keeps it going. `before` is how often that has happened in a row. */
  beforeStop(agent: Agent, lastText: string, before: number, signal: AbortSignal): Promise<BeforeStop>;
  beforeCompact(agent: Agent, trigger: string, instructions: string, signal: AbortSignal): Promise<void>;
}

export type BeforeCall = {
  readonly decision?: 'allow' | 'ask' | 'deny';
  readonly reason?: string;
  readonly updatedInput?: unknown;
  readonly context: readonly string[];
  /** The whole run should end. */
  readonly stop?: string;
};

export type AfterCallInput = { readonly isError: boolean; readonly text: string };

export type AfterCall = { readonly context: readonly string[]; readonly blocked?: string; readonly stop?: string };

export type BeforeStop = { readonly keepGoing?: string; readonly stop?: string };

export const NO_HOOKS: HooksPort = {
  beforeCall: async () => ({ context: [] }),
  afterCall: async () => ({ context: [] }),
  beforeStop: async () => ({}),
  beforeCompact: async () => {},
};

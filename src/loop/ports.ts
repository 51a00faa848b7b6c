/** Everything the loop needs of the floor below, as one object of functions. Whoever wires a session fills it in. */

import type { ProcessCommand } from '../host/processes.js';
import type { ModelClient } from '../model/model-client.js';
import type { Prefix } from '../model/prefix.js';
import type { Action } from '../protocol/action.js';
import type { Decision } from '../protocol/permission.js';
import type { ConfinedCommand, ConfineOptions, KeptCommand, KeptTask } from '../tools/tool.js';
import type { Agent } from './agent.js';

export interface Ports {
  readonly model: ModelClient;
  readonly gate: GatePort;
  /** Stored before the first request that uses it. */
  keepPrefix(prefix: Prefix): Promise<void>;
  /** Instructions that come into force because a file was touched: told once. */
  instructionsFor(agent: Agent, path: string): Promise<string | undefined>;
  keepOutput(name: string, content: string | Uint8Array): Promise<string>;
  outputPath(name: string): Promise<string>;
  /** Before a call changes these files: what they hold is kept. A line is why it can't be; then they stay as they are. */
  keepFiles?(agent: Agent, call: string, paths: readonly string[]): Promise<string | undefined>;
  /** After it: what they hold now. */
  noteFiles?(agent: Agent, call: string, paths: readonly string[]): Promise<void>;
  /** Puts a shell command into the sandbox, where there is one. */
  confine?(agent: Agent, command: ProcessCommand, wish: ConfineOptions): Promise<ConfinedCommand>;
  /** Takes over a command that is to run on; absent where nothing runs in the background. */
  keepRunning?(agent: Agent, call: string, command: KeptCommand): KeptTask;
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
  decide(agent: Agent, call: GatedCall): Promise<Judgement>;
  /** Whether a file may be read, for searches; undefined when no rule denies any. */
  mayRead(agent: Agent): ((path: string) => boolean) | undefined;
  /** Puts the question to whoever can answer. Must settle when the signal aborts (as a denial). */
  ask(agent: Agent, call: GatedCall, question: string, signal: AbortSignal): Promise<Answer>;
}

export type Judgement = {
  readonly decision: Decision;
  /** Where each declared path led when it was judged: what is opened must be that. */
  readonly realPaths: ReadonlyMap<string, string>;
};

export type Answer =
  | { readonly behavior: 'allow'; readonly by: string; readonly updatedInput?: unknown }
  | { readonly behavior: 'deny'; readonly by: string; readonly reason: string; readonly interrupt?: boolean };

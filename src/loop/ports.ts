/** Everything the loop needs of the floor below, as one object of functions. The engine fills it in. */

import type { Gate } from '../gate/gate.js';
import type { ProcessCommand } from '../host/processes.js';
import type { Prefix } from '../model/prefix.js';
import type { ModelProvider } from '../model/provider.js';
import type { ConfinedCommand, ConfineOptions, KeptCommand, KeptTask } from '../tools/tool.js';
import type { Agent } from './agent.js';

export interface Ports {
  readonly model: ModelProvider;
  readonly gate: Gate;
  /** Stored before the first request that uses it. */
  keepPrefix(prefix: Prefix): Promise<void>;
  /** Instructions that come into force because a file was touched: told once to each agent, and again after a compaction. */
  instructionsFor(agent: Agent, path: string): Promise<string | undefined>;
  keepOutput(name: string, content: string | Uint8Array): Promise<string>;
  outputPath(name: string): Promise<string>;
  /** Before a call changes these files: what they hold is kept. Returns why it can't be; then they stay as they are. */
  keepFiles?(agent: Agent, call: string, paths: readonly string[]): Promise<string | undefined>;
  /** After it: what they hold now. */
  noteFiles?(agent: Agent, call: string, paths: readonly string[]): Promise<void>;
  /** Puts a shell command into the sandbox, where there is one. */
  confine?(agent: Agent, command: ProcessCommand, options: ConfineOptions): Promise<ConfinedCommand>;
  /** Takes over a command that is to run on; absent where nothing runs in the background. */
  keepRunning?(agent: Agent, call: string, command: KeptCommand): KeptTask;
}

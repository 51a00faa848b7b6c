/** What is decided about a child before anything of it exists. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { ForkPoint } from '../fork/fork-point.js';
import type { AgentStart, LiveAgent } from '../live-agent.js';

export type SpawnRequest = {
  readonly parent: LiveAgent;
  /** The call that starts it. */
  readonly call: string;
  readonly prompt: string;
  readonly description: string;
  readonly name: string | undefined;
  readonly model: string | undefined;
  readonly maxTurns: number | undefined;
  readonly maxUsd: number | undefined;
  readonly cwd: string | undefined;
  /** Ends it together with the call that waits for it. */
  readonly signal: AbortSignal;
  /** Nobody waits for it. */
  readonly background: boolean;
  readonly kind: { readonly fork: ForkPoint } | { readonly definition: AgentDefinition };
};

export type Plan =
  | {
      readonly ok: true;
      readonly start: AgentStart;
      /** Puts what it starts with into its inbox. */
      readonly introduce: (agent: LiveAgent) => Promise<void>;
      /** Waits for its turn before the first request. */
      readonly beforeFirst: (signal: AbortSignal) => Promise<void>;
    }
  | { readonly ok: false; readonly reason: string };

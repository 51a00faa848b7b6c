/** Everything decided about a child before it is started. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { TurnGrant } from '../../gate/requester.js';
import type { ForkPoint } from '../fork/fork-point.js';
import type { AgentStart, LiveAgent } from '../live-agent.js';
import type { MadeWorktree } from '../worktrees/session-worktrees.js';

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
  /** A checkout of its own. */
  readonly isolation: 'worktree' | undefined;
  /** Aborts with the call that waits for it. */
  readonly signal: AbortSignal;
  /** No call waits for it. */
  readonly background: boolean;
  /** Of a fork: it answers one question of the person, without tools. */
  readonly aside?: true;
  /** Rules for its first run. */
  readonly grant?: TurnGrant;
  readonly kind: { readonly fork: ForkPoint } | { readonly definition: AgentDefinition };
};

export type Plan =
  | {
      readonly ok: true;
      readonly start: AgentStart;
      /**
       * Admits what it starts with. Only writes: what takes long or can be aborted belongs into its run. `made`: the
       * worktree that was made for it.
       */
      readonly introduce: (agent: LiveAgent, made: MadeWorktree | undefined) => Promise<void>;
      /** Awaited before its first request. */
      readonly beforeFirst: (signal: AbortSignal) => Promise<void>;
    }
  | { readonly ok: false; readonly reason: string };

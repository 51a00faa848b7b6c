/** All decisions about a child, made before it starts. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { TurnGrant } from '../../gate/requester.js';
import type { Result } from '../../protocol/result.js';
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
  /** In its own checkout. */
  readonly isolation: 'worktree' | undefined;
  /** Aborts with the call that waits for it. */
  readonly signal: AbortSignal;
  /** No call waits for it. */
  readonly background: boolean;
  /** For a fork that answers one question of the user, without tools. */
  readonly aside?: true;
  /** Rules for its first run. */
  readonly grant?: TurnGrant;
  readonly kind: { readonly fork: ForkPoint } | { readonly definition: AgentDefinition };
};

export type Plan = Result<{
  readonly start: AgentStart;
  /**
   * Admits its initial input. Only writes: anything slow or abortable belongs in its run. `made`: the worktree
   * created for it.
   */
  readonly introduce: (agent: LiveAgent, made: MadeWorktree | undefined) => Promise<void>;
  /** Awaited before its first request. */
  readonly beforeFirst: (signal: AbortSignal) => Promise<void>;
}>;

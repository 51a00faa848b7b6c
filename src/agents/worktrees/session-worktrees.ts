/**
 * The worktrees of a session's agents: created for one, shared by its descendants, reopened, and released. A port:
 * `src/features/worktrees` implements it.
 */

import type { Hooks } from '../../gate/hooks/hooks.js';
import type { Host } from '../../host/host.js';
import type { AgentWorktree } from '../../protocol/agent-spawned.js';
import type { DurableEventOf, LiveEvent } from '../../protocol/events.js';
import type { Failure, Result } from '../../protocol/result.js';

export interface SessionWorktrees {
  /** Creates one from the folder. The agent holds it when this resolves. A failure leaves nothing behind. */
  make(request: MakeRequest): Promise<Made>;
  /** Lets another agent work in it. False if no agent holds it here. */
  join(worktree: AgentWorktree, agent: string): Promise<boolean>;
  /** Reopens one: holds it again and updates its times. It may have moved. */
  reopen(worktree: AgentWorktree, agent: string): Promise<Reopened>;
  /**
   * `settle`: the last holder removes it if it contains no work. `keep`: for an interrupted run, which can be resumed
   * in it. Undefined if the agent does not hold it. Never rejects.
   */
  release(worktree: AgentWorktree, agent: string, how: 'settle' | 'keep'): Promise<Settled | undefined>;
  /**
   * Settles worktrees created for agents of this session without a record: the process died in between, and nothing
   * will resume them. `known`: the agents with a record. Never rejects.
   */
  settleUnknown(known: ReadonlySet<string>): Promise<void>;
  /** The session is closing: hooks no longer delay anything. */
  leave(): void;
}

export type MakeRequest = {
  /** The agent it is for. */
  readonly agent: string;
  readonly isFork: boolean;
  readonly parent: {
    readonly host: Host;
    readonly roots: readonly string[];
    readonly hooks: Hooks;
    emit(event: LiveEvent): Promise<unknown>;
  };
  readonly signal: AbortSignal;
};

export type Made = Result<MadeWorktree>;

/** The location of a child with its own worktree. */
export type MadeWorktree = {
  readonly worktree: AgentWorktree;
  /** In its folder there, with an identity to commit under. */
  readonly host: Host;
  readonly roots: readonly string[];
  readonly uncommitted: Uncommitted;
  /** For the user and the agent: what could not be carried over. */
  readonly notes: readonly string[];
};

/** The parent's uncommitted changes: applied, none existed, left out, or known only to the hook that created it. */
export type Uncommitted = 'taken' | 'none' | 'left' | 'unknown';

export type Reopened =
  | { readonly ok: true; readonly worktree: AgentWorktree; readonly host: Host }
  /** `gone`: it no longer exists; otherwise it can't be used now. */
  | (Failure & { readonly gone: boolean });

export type Settled = Pick<DurableEventOf<'worktree-settled'>, 'outcome' | 'reasons'>;

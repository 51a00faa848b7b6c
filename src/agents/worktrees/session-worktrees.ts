/**
 * The worktrees of a session's agents: made for one, shared by its descendants, reopened, and released. A port:
 * `src/features/worktrees` implements it.
 */

import type { Hooks } from '../../gate/hooks/hooks.js';
import type { Host } from '../../host/host.js';
import type { AgentWorktree } from '../../protocol/agent-spawned.js';
import type { DurableEventOf, LiveEvent } from '../../protocol/events.js';

export interface SessionWorktrees {
  /** Makes one from the folder. The agent holds it when this resolves. A failure leaves nothing behind. */
  make(request: MakeRequest): Promise<Made>;
  /** One more agent works in it. False if nobody holds it here. */
  join(worktree: AgentWorktree, agent: string): Promise<boolean>;
  /** Comes back to one: held again, and its times touched. It may be elsewhere than it was. */
  reopen(worktree: AgentWorktree, agent: string): Promise<Reopened>;
  /**
   * `settle`: the last one to let go removes it, if there is no work in it. `keep`: an interrupted run, which can go on
   * in it. Undefined if the agent does not hold it. Never rejects.
   */
  letGo(worktree: AgentWorktree, agent: string, how: 'settle' | 'keep'): Promise<Settled | undefined>;
  /**
   * Settles those that were made for agents of this session of which there is no record: the process died in between, and
   * nobody will come back to them. `known`: the agents of which there is one. Never rejects.
   */
  settleUnknown(known: ReadonlySet<string>): Promise<void>;
  /** The session is being left: hooks no longer delay anything. */
  leave(): void;
}

export type MakeRequest = {
  /** For whom. */
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

export type Made = ({ readonly ok: true } & MadeWorktree) | { readonly ok: false; readonly reason: string };

/** Where a child works for which a worktree was made. */
export type MadeWorktree = {
  readonly worktree: AgentWorktree;
  /** In its folder there, with a name to commit under. */
  readonly host: Host;
  readonly roots: readonly string[];
  readonly uncommitted: Uncommitted;
  /** For people and for the agent: what could not be taken along. */
  readonly notes: readonly string[];
};

/** Of the parent's uncommitted changes: laid over, none were there, left out, or only the hook that made it knows. */
export type Uncommitted = 'taken' | 'none' | 'left' | 'unknown';

export type Reopened =
  | { readonly ok: true; readonly worktree: AgentWorktree; readonly host: Host }
  /** `gone`: it is not there any more; otherwise it can't be used now. */
  | { readonly ok: false; readonly gone: boolean; readonly reason: string };

export type Settled = Pick<DurableEventOf<'worktree-settled'>, 'outcome' | 'reasons'>;

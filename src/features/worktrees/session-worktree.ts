/** The worktree of a session (WT-10). Held while the session is open; closing removes it if it is empty. */

import type { Checkout } from '../../host/git/checkout.js';
import type { Host } from '../../host/host.js';
import { removeWorktree } from '../../host/worktrees/remove-worktree.js';
import type { WorktreeLeases } from '../../host/worktrees/worktree-leases.js';
import type { WorktreeRecord } from '../../host/worktrees/worktree-record.js';
import type { AgentWorktree } from '../../protocol/events.js';
import { describeRecord } from './find-worktree-path.js';

/** `in-use`: another session of this process works in it. `reasons`: for the user, why it was kept. */
export type LeftWorktree = {
  readonly outcome: 'kept' | 'removed' | 'gone' | 'in-use';
  readonly reasons: readonly string[];
};

export interface SessionWorktree {
  readonly name: string;
  readonly path: string;
  readonly branch: string;
  /** Never removed: it was created for an agent, which can be resumed in it, or by a hook. */
  readonly isAlwaysKept: boolean;
  /** The outcome once the session is closed; undefined while it is open. */
  readonly left: LeftWorktree | undefined;
  /** Removes it with all work in it, after the session is closed, unless something else uses it by then. */
  discard(): Promise<LeftWorktree>;
}

/** The view of the engine. */
export interface LeavableWorktree extends SessionWorktree {
  /** The view of its agents. */
  readonly place: AgentWorktree;
  /** Notifies hooks of its removal from now on. */
  onRemoval(tell: RemovalHook['beforeRemoval']): void;
  /** Releases it, and removes it if it contains no work. */
  leave(): Promise<void>;
}

/** Notifies hooks that git is about to remove it; they are known only once the session is built. */
export type RemovalHook = { beforeRemoval(path: string): Promise<void> };

type Held = {
  readonly host: Host;
  readonly checkout: Checkout;
  readonly record: WorktreeRecord;
  readonly leases: WorktreeLeases;
  readonly removal: RemovalHook;
  /** The session that holds it. */
  readonly holder: string;
  /** Called when nothing in this process holds it any more. */
  onFree(): void;
};

export class HeldWorktree implements LeavableWorktree {
  readonly #held: Held;
  #left: LeftWorktree | undefined;

  constructor(held: Held) {
    this.#held = held;
  }

  get place(): AgentWorktree {
    return describeRecord(this.#held.checkout, this.#held.record);
  }

  get name(): string {
    return this.#held.record.name;
  }

  get path(): string {
    return this.#held.record.path;
  }

  get branch(): string {
    return this.#held.record.branch;
  }

  get isAlwaysKept(): boolean {
    const { owner, madeBy } = this.#held.record;
    return owner.agent !== undefined || madeBy === 'hook';
  }

  get left(): LeftWorktree | undefined {
    return this.#left;
  }

  onRemoval(tell: RemovalHook['beforeRemoval']): void {
    this.#held.removal.beforeRemoval = tell;
  }

  async leave(): Promise<void> {
    const { leases, checkout, record, holder, onFree } = this.#held;
    const how = this.isAlwaysKept ? 'keep' : 'settle';
    this.#left = await leases.release(checkout.commonDir, record.name, holder, how);
    if (this.#left.outcome !== 'in-use') onFree();
  }

  async discard(): Promise<LeftWorktree> {
    const { host, checkout, record, removal } = this.#held;
    const hook = async (path: string) => {
      await removal.beforeRemoval(path);
      return { ok: true };
    };
    const removed = await removeWorktree(host, checkout, record.name, { discard: true, hook });
    return { outcome: removed.kind, reasons: 'reasons' in removed ? removed.reasons : [] };
  }
}

/** The worktree a session works in (WT-10). It is held while the session is open; leaving removes it if it is empty. */

import type { Checkout } from '../host/git/checkout.js';
import type { Host } from '../host/host.js';
import { type Removal, removeWorktree } from '../host/worktrees/remove-worktree.js';
import type { Settled, WorktreeLeases } from '../host/worktrees/worktree-leases.js';
import type { WorktreeRecord } from '../host/worktrees/worktree-record.js';

export interface SessionWorktree {
  readonly name: string;
  readonly path: string;
  readonly branch: string;
  /** What became of it when the session was left; undefined while it is open. */
  readonly left: Settled | undefined;
  /** After the session is left: removes it with all work in it, unless somebody else uses it by then. */
  discard(): Promise<Removal>;
}

type Held = {
  readonly host: Host;
  readonly checkout: Checkout;
  readonly record: WorktreeRecord;
  readonly leases: WorktreeLeases;
  /** The session that holds it. */
  readonly holder: string;
};

export class HeldWorktree implements SessionWorktree {
  readonly #held: Held;
  #left: Settled | undefined;

  constructor(held: Held) {
    this.#held = held;
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

  get left(): Settled | undefined {
    return this.#left;
  }

  async leave(): Promise<void> {
    const { leases, checkout, record, holder } = this.#held;
    // One that was made for an agent is that agent's to come back to, changed or not.
    const how = record.owner.agent === undefined ? 'settle' : 'keep';
    this.#left = await leases.letGo(checkout.commonDir, record.name, holder, how);
  }

  async discard(): Promise<Removal> {
    const { host, checkout, record } = this.#held;
    return removeWorktree(host, checkout, record.name, { discard: true });
  }
}

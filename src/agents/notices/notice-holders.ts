/**
 * Tracks the agent that holds each notice, to decide whether it may still be delivered: no second agent gets it unless
 * the first passes it on.
 */

import type { NoticeKey } from '../../protocol/events.js';
import type { FrozenBlock } from '../../protocol/frozen-block.js';
import { noticeKey } from '../../session/state/agent-state.js';
import type { LiveAgent } from '../live-agent.js';

/** A notice in transit: to this agent or, if that has ended, to the next above it. `passedBy`: its previous holder. */
export type NoticeInTransit = {
  readonly key: NoticeKey;
  readonly blocks: readonly FrozenBlock[];
  readonly to: LiveAgent | undefined;
  readonly passedBy?: string;
};

export class NoticeHolders {
  /** Agent ids by notice key. */
  readonly #holders = new Map<string, string>();
  /** The last run of each agent whose notice has a holder. */
  readonly #lastRuns = new Map<string, number>();

  /** The agent that holds the notice. */
  of(key: NoticeKey): string | undefined {
    return this.#holders.get(noticeKey(key));
  }

  /** The last run of the agent whose end was reported; 0 if none. */
  lastRun(agent: string): number {
    return this.#lastRuns.get(agent) ?? 0;
  }

  set(key: NoticeKey, holder: string): void {
    this.#holders.set(noticeKey(key), holder);
    this.#lastRuns.set(key.agent, Math.max(this.lastRun(key.agent), key.run));
  }

  /**
   * Calls `admit`, which adds the notice to the inbox of `to`, unless an agent other than `from` holds the notice;
   * `from` passes it on. `held`: another agent has it. `refused`: `admit` returned false.
   */
  async give(
    key: NoticeKey,
    to: string,
    admit: () => Promise<boolean>,
    from?: string,
  ): Promise<'given' | 'held' | 'refused'> {
    const before = this.of(key);
    if (before !== undefined && before !== from) return 'held';
    // Set before the first await, so that only one of two concurrent notices is delivered.
    this.#holders.set(noticeKey(key), to);
    let isGiven = false;
    try {
      isGiven = await admit();
    } finally {
      if (isGiven) this.set(key, to);
      else if (before === undefined) this.#holders.delete(noticeKey(key));
      else this.#holders.set(noticeKey(key), before);
    }
    return isGiven ? 'given' : 'refused';
  }
}

/**
 * Which agent has which notice. It decides whether a notice may still be delivered: what one agent has, no other gets,
 * unless that agent passes it on.
 */

import type { NoticeKey } from '../../protocol/events.js';
import type { FrozenBlock } from '../../protocol/frozen-block.js';
import { noticeKey } from '../../session/state/agent-state.js';
import type { LiveAgent } from '../live-agent.js';

/** On its way: to this agent or, when that has ended, to the next above it. `passedBy`: the agent that had it so far. */
export type UnderWay = {
  readonly key: NoticeKey;
  readonly blocks: readonly FrozenBlock[];
  readonly to: LiveAgent | undefined;
  readonly passedBy?: string;
};

export class NoticeHolders {
  /** Agent ids by the notice's key. */
  readonly #holders = new Map<string, string>();
  /** The last run of an agent whose notice somebody has. */
  readonly #lastRuns = new Map<string, number>();

  /** The agent that has it. */
  of(key: NoticeKey): string | undefined {
    return this.#holders.get(noticeKey(key));
  }

  /** The last run of the agent whose end was told; 0 if none was. */
  lastRun(agent: string): number {
    return this.#lastRuns.get(agent) ?? 0;
  }

  set(key: NoticeKey, holder: string): void {
    this.#holders.set(noticeKey(key), holder);
    this.#lastRuns.set(key.agent, Math.max(this.lastRun(key.agent), key.run));
  }

  /**
   * `admit` puts the notice into the inbox of `to`. It is called unless somebody has the notice, other than `from`, which
   * passes it on. `held`: somebody has it. `refused`: `admit` said no.
   */
  async give(
    key: NoticeKey,
    to: string,
    admit: () => Promise<boolean>,
    from?: string,
  ): Promise<'given' | 'held' | 'refused'> {
    const before = this.of(key);
    if (before !== undefined && before !== from) return 'held';
    // Before the first wait: of two that come at once, one is given.
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

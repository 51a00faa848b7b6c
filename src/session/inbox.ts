/**
 * The one way by which anything reaches a running agent: the person's words, reminders, notices, messages.
 * Admitting is durable and comes before anything runs; the loop takes what was admitted at its next safe point.
 */

import type { UserBlock } from '../protocol/blocks.js';
import type { NoticeKey, Origin } from '../protocol/events.js';
import { type FrozenBlock, freezeBlock, isBlank } from '../protocol/frozen-block.js';
import type { Emit } from './emit.js';

export type Admitted = {
  /** The record that holds the blocks. */
  readonly seq: number;
  readonly origin: Origin;
  readonly blocks: readonly FrozenBlock[];
};

export class Inbox {
  readonly #emit: Emit;
  #waiting: Admitted[] = [];
  readonly #watchers = new Set<() => void>();

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** Resolves when the input is on disk. Blank text is left out; nothing but blank text admits nothing. */
  async admit(origin: Origin, content: readonly UserBlock[], notice?: NoticeKey): Promise<void> {
    const blocks = content.filter((block) => !isBlank(block)).map(freezeBlock);
    return this.admitFrozen(origin, blocks, notice);
  }

  /** The same for blocks whose bytes are fixed already. */
  async admitFrozen(origin: Origin, blocks: readonly FrozenBlock[], notice?: NoticeKey): Promise<void> {
    if (blocks.length === 0) return;
    const key = notice === undefined ? {} : { notice };
    const seq = await this.#emit({ kind: 'input-admitted', origin, ...key, blocks });
    this.#waiting.push({ seq, origin, blocks });
    for (const wake of [...this.#watchers]) wake();
  }

  /** Takes everything that waits, in the order it was admitted. */
  take(): readonly Admitted[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  /** What waits closes the calls of the last reply. */
  get closesCalls(): boolean {
    return this.#waiting.some((input) => input.origin === 'fork-placeholders');
  }

  /** Something waits that asks for an answer; a reminder alone doesn't. */
  get asks(): boolean {
    return this.#waiting.some((input) => input.origin !== 'reminder');
  }

  /** Resolves when something that asks for an answer waits, or the signal aborts. */
  async arrival(signal: AbortSignal): Promise<void> {
    while (!this.asks && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = () => {
          this.#watchers.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        this.#watchers.add(done);
        signal.addEventListener('abort', done, { once: true });
      });
    }
  }
}

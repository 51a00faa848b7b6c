/**
 * The one way by which anything reaches a running agent: the person's words, reminders, notices, messages.
 * Admitting is durable and comes before anything runs; the loop takes what was admitted at its next safe point.
 * A run ends by closing its inbox: what came before is taken, what comes after is refused, nothing falls in between.
 */

import type { UserBlock } from '../protocol/blocks.js';
import type { NoticeKey, Origin } from '../protocol/events.js';
import { type FrozenBlock, freezeBlock, isBlank } from '../protocol/frozen-block.js';
import type { Emit } from './emit.js';

export type Admitted = {
  /** The record that holds the blocks. */
  readonly seq: number;
  readonly origin: Origin;
  readonly notice?: NoticeKey;
  readonly blocks: readonly FrozenBlock[];
};

export class Inbox {
  readonly #emit: Emit;
  #waiting: Admitted[] = [];
  #closed = false;
  /** Inputs on their way to the disk, of those that ask for an answer. */
  #coming = 0;
  readonly #landing = new Set<Promise<unknown>>();
  readonly #listeners = new Set<() => void>();

  constructor(emit: Emit, waiting: readonly Admitted[] = []) {
    this.#emit = emit;
    this.#waiting = [...waiting];
  }

  /**
   * Resolves with true when the input is on disk and will be taken; with false, and nothing written, when the inbox
   * is closed. Blank text is left out; nothing but blank text admits nothing.
   */
  async admit(origin: Origin, content: readonly UserBlock[], notice?: NoticeKey): Promise<boolean> {
    const blocks = content.filter((block) => !isBlank(block)).map(freezeBlock);
    return this.admitFrozen(origin, blocks, notice);
  }

  /** The same for blocks whose bytes are fixed already. */
  async admitFrozen(origin: Origin, blocks: readonly FrozenBlock[], notice?: NoticeKey): Promise<boolean> {
    if (this.#closed) return false;
    if (blocks.length === 0) return true;
    const asks = asksForAnswer(origin) ? 1 : 0;
    this.#coming += asks;
    const key = notice === undefined ? {} : { notice };
    const landing = this.#emit({ kind: 'input-admitted', origin, ...key, blocks });
    this.#landing.add(landing);
    try {
      const seq = await landing;
      this.#waiting.push({ seq, origin, ...key, blocks });
      return true;
    } finally {
      this.#landing.delete(landing);
      this.#coming -= asks;
      for (const wake of [...this.#listeners]) wake();
    }
  }

  /** Resolves when everything that was on its way has arrived, or failed to. */
  async landed(): Promise<void> {
    while (this.#landing.size > 0) await Promise.allSettled(this.#landing);
  }

  /** Takes everything that waits, in the order it was admitted. */
  take(): readonly Admitted[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  /** What was taken could not be put to use: it waits again, before everything that came since. */
  giveBack(taken: readonly Admitted[]): void {
    this.#waiting = [...taken, ...this.#waiting];
  }

  /** Takes only the notices, for when nobody here will read them any more. */
  takeNotices(): readonly Admitted[] {
    const notices = this.#waiting.filter((input) => input.origin === 'notice');
    this.#waiting = this.#waiting.filter((input) => input.origin !== 'notice');
    return notices;
  }

  /** What waits closes the calls of the last reply. */
  get closesCalls(): boolean {
    return this.#waiting.some((input) => input.origin === 'fork-placeholders');
  }

  /** Something waits that asks for an answer; a reminder alone doesn't. */
  get asks(): boolean {
    return this.#waiting.some((input) => asksForAnswer(input.origin));
  }

  /** Closes unless something waits or is on its way; from then on nothing is admitted. */
  tryClose(): boolean {
    if (this.asks || this.#coming > 0) return false;
    this.#closed = true;
    return true;
  }

  /** Closes whatever waits; what is on its way still arrives and stays for the next run. */
  close(): void {
    this.#closed = true;
  }

  open(): void {
    this.#closed = false;
    for (const wake of [...this.#listeners]) wake();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Resolves when something that asks for an answer waits, or the signal aborts. */
  arrival(signal: AbortSignal): Promise<void> {
    return this.#until(() => this.asks, signal);
  }

  /** Resolves when it takes input (again), or the signal aborts. */
  opening(signal: AbortSignal): Promise<void> {
    return this.#until(() => !this.#closed, signal);
  }

  async #until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    while (!holds() && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = () => {
          this.#listeners.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        this.#listeners.add(done);
        signal.addEventListener('abort', done, { once: true });
      });
    }
  }
}

function asksForAnswer(origin: Origin): boolean {
  return origin !== 'reminder';
}

/**
 * The one way by which anything reaches a running agent: the person's words, reminders, notices, messages.
 * Admitting is durable and comes before anything runs; the loop takes what was admitted at its next safe point.
 * A run ends by closing its inbox: what came before is taken, what comes after is refused, nothing falls in between.
 */

import type { UserBlock } from '../protocol/blocks.js';
import type { NoticeKey, Origin } from '../protocol/events.js';
import { type FrozenBlock, freezeBlock, isBlank } from '../protocol/frozen-block.js';
import type { Emit } from './emit.js';
import { type Admitted, type AgentState, noticeKey } from './state/agent-state.js';

export type Input = {
  readonly origin: Origin;
  /** It is admitted once under this key, however often it is tried. A notice's key is its own. */
  readonly key: string | NoticeKey;
};

export class Inbox {
  readonly #state: AgentState;
  readonly #emit: Emit;
  #closed = false;
  /** Inputs on their way to the disk that ask for an answer. */
  #coming = 0;
  readonly #landing = new Map<string, Promise<unknown>>();
  readonly #waiters = new Set<() => void>();

  constructor(state: AgentState, emit: Emit) {
    this.#state = state;
    this.#emit = emit;
  }

  /**
   * Resolves with true when the input is on disk and will be taken; with false, and nothing written, when the inbox
   * is closed. Blank text is left out; nothing but blank text admits nothing.
   */
  async admit(input: Input, content: readonly UserBlock[]): Promise<boolean> {
    return this.admitFrozen(input, content.filter((block) => !isBlank(block)).map(freezeBlock));
  }

  /** The same for blocks whose bytes are fixed already. */
  async admitFrozen({ origin, key }: Input, blocks: readonly FrozenBlock[]): Promise<boolean> {
    if (this.#closed) return false;
    if (blocks.length === 0) return true;
    const once = typeof key === 'string' ? key : noticeKey(key);
    if (this.#state.admittedKeys.has(once)) return true;
    const known = this.#landing.get(once);
    if (known !== undefined) return known.then(() => true);
    const asks = asksForAnswer(origin) ? 1 : 0;
    this.#coming += asks;
    const keyed = typeof key === 'string' ? { key } : { notice: key };
    const landing = this.#emit({ kind: 'input-admitted', origin, ...keyed, blocks });
    this.#landing.set(once, landing);
    try {
      await landing;
      return true;
    } finally {
      this.#landing.delete(once);
      this.#coming -= asks;
      for (const wake of [...this.#waiters]) wake();
    }
  }

  /** Resolves when everything that was on its way has arrived, or failed to. */
  async landed(): Promise<void> {
    while (this.#landing.size > 0) await Promise.allSettled(this.#landing.values());
  }

  /** Notices that wait, for when nobody here will read them any more. */
  notices(): readonly Admitted[] {
    return this.#state.pending.filter((input) => input.origin === 'notice');
  }

  /** What waits closes the calls of the last reply. */
  get closesCalls(): boolean {
    return this.#state.pending.some((input) => input.origin === 'fork-placeholders');
  }

  /** Something waits that asks for an answer; a reminder alone doesn't. */
  get asks(): boolean {
    return this.#state.pending.some((input) => asksForAnswer(input.origin));
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
    for (const wake of [...this.#waiters]) wake();
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
          this.#waiters.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        this.#waiters.add(done);
        signal.addEventListener('abort', done, { once: true });
      });
    }
  }
}

function asksForAnswer(origin: Origin): boolean {
  return origin !== 'reminder';
}

/** A clock that stands still until it is told to move. */

import type { Cancel, Clock } from '../../../src/host/clock.js';
import { turns } from '../until.js';

type Timer = { readonly at: number; readonly ring: () => void };

export class ManualClock implements Clock {
  #now = 0;
  #timers: Timer[] = [];

  now(): number {
    return 1_700_000_000_000 + this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const cancel = this.after(ms, resolve);
      signal?.addEventListener(
        'abort',
        () => {
          cancel();
          resolve();
        },
        { once: true },
      );
    });
  }

  after(ms: number, ring: () => void): Cancel {
    const timer = { at: this.#now + ms, ring };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  /** Moves on by `ms` and rings what falls into it, in order. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      const next = this.#timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.at);
      next.ring();
      await this.settle();
    }
    this.#now = until;
  }

  /** How long until the next timer rings; undefined when none is set. */
  get next(): number | undefined {
    const at = Math.min(...this.#timers.map((timer) => timer.at));
    return Number.isFinite(at) ? Math.max(0, at - this.#now) : undefined;
  }

  /** Lets everything run that waits for nothing but its turn. */
  settle(): Promise<void> {
    return turns(20);
  }

  /** Moves on from timer to timer until the work is done. */
  async runWhile<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const finished = work.finally(() => {
      done = true;
    });
    // A rejection is the caller's, who waits for it below.
    finished.catch(() => {});
    for (let round = 0; round < 10_000 && !done; round += 1) {
      await this.settle();
      const next = Math.min(...this.#timers.map((timer) => timer.at));
      if (!done && Number.isFinite(next)) await this.advance(Math.max(0, next - this.#now));
    }
    return finished;
  }
}

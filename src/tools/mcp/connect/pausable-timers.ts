/** Timers that pause together while the user is asked. */

import type { Cancel, Clock } from '../../../host/clock.js';

type Timer = { left: number; since: number; cancel: Cancel | undefined; readonly ring: () => void };

export class PausableTimers {
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  #halts = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Fires once after `ms` of unpaused time; never for Infinity. */
  after(ms: number, ring: () => void): Cancel {
    return this.watch(ms, ring).stop;
  }

  /** Like `after`, but each sign of life restarts the time. */
  watch(ms: number, ring: () => void): { readonly sign: () => void; readonly stop: Cancel } {
    if (!Number.isFinite(ms)) return { sign: () => {}, stop: () => {} };
    const timer: Timer = { left: ms, since: 0, cancel: undefined, ring };
    this.#timers.add(timer);
    this.#arm(timer);
    return {
      sign: () => {
        if (!this.#timers.has(timer)) return;
        timer.cancel?.();
        timer.left = ms;
        this.#arm(timer);
      },
      stop: () => {
        timer.cancel?.();
        this.#timers.delete(timer);
      },
    };
  }

  /** Pauses all timers until the returned function is called. */
  halt(): () => void {
    this.#halts += 1;
    if (this.#halts === 1) for (const timer of this.#timers) this.#stand(timer);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#halts -= 1;
      if (this.#halts === 0) for (const timer of this.#timers) this.#arm(timer);
    };
  }

  #arm(timer: Timer): void {
    if (this.#halts > 0) return;
    timer.since = this.#clock.elapsed();
    timer.cancel = this.#clock.after(timer.left, () => {
      this.#timers.delete(timer);
      timer.ring();
    });
  }

  #stand(timer: Timer): void {
    timer.cancel?.();
    timer.cancel = undefined;
    timer.left = Math.max(0, timer.left - (this.#clock.elapsed() - timer.since));
  }
}

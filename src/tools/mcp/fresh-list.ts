/** Fetches a list again when a server reports a change (MC-16), at a limited rate. */

import type { Cancel, Clock } from '../../host/clock.js';
import { reasonOf } from '../../protocol/reason-of.js';

export type FreshListOptions<T> = {
  readonly clock: Clock;
  /** Rejects if there is no list. */
  readonly list: () => Promise<T>;
  readonly take: (list: T) => void;
  readonly failed: (reason: string) => void;
};

/** The pause between lists; doubled while changes keep coming. */
const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** The pause after a list that failed. */
const FAILED_MS = 1_000;
const LONGEST_FAILED_MS = 30_000;

export class FreshList<T> {
  readonly #options: FreshListOptions<T>;
  /** The server has reported another change since the last list began. */
  #isStale = false;
  #isListing = false;
  #isStopped = false;
  #timer: Cancel | undefined;
  #notBefore = Number.NEGATIVE_INFINITY;
  /** The number of consecutive lists that had to wait for the pause. */
  #inARow = 0;
  #failures = 0;

  constructor(options: FreshListOptions<T>) {
    this.#options = options;
  }

  changed(): void {
    this.#isStale = true;
    this.#look();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.();
  }

  #look(): void {
    if (!this.#isStale || this.#isListing || this.#isStopped || this.#timer !== undefined) return;
    const { clock } = this.#options;
    const wait = this.#notBefore - clock.elapsed();
    if (wait <= 0) {
      this.#inARow = 0;
      void this.#list();
      return;
    }
    this.#timer = clock.after(wait, () => {
      this.#timer = undefined;
      this.#inARow += 1;
      void this.#list();
    });
  }

  async #list(): Promise<void> {
    const { clock, list, take, failed } = this.#options;
    this.#isListing = true;
    this.#isStale = false;
    try {
      const fresh = await list();
      this.#failures = 0;
      if (!this.#isStopped) take(fresh);
    } catch (error) {
      this.#failures += 1;
      if (!this.#isStopped) failed(reasonOf(error));
    }
    this.#isListing = false;
    this.#notBefore = clock.elapsed() + this.#pause();
    this.#look();
  }

  #pause(): number {
    const usual = Math.min(PAUSE_MS * 2 ** this.#inARow, LONGEST_PAUSE_MS);
    if (this.#failures === 0) return usual;
    return Math.max(usual, Math.min(FAILED_MS * 2 ** (this.#failures - 1), LONGEST_FAILED_MS));
  }
}

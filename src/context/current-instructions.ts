/** The current instructions: read when a session is opened, and again between prompts. */

import type { Clock } from '../host/clock.js';
import type { Instructions } from './instructions.js';

/** Instructions read this recently, when the session was opened, are not read again for the first prompt. */
const JUST_NOW_MS = 1_000;

export class CurrentInstructions {
  readonly #load: () => Promise<Instructions>;
  readonly #clock: Clock;
  #openedAt: number | undefined;
  #now: Instructions;

  constructor(first: Instructions, load: () => Promise<Instructions>, clock: Clock) {
    this.#now = first;
    this.#load = load;
    this.#clock = clock;
    this.#openedAt = clock.elapsed();
  }

  get now(): Instructions {
    return this.#now;
  }

  /** Returns new warnings. */
  async readAgain(): Promise<readonly string[]> {
    const isNew = this.#openedAt !== undefined && this.#clock.elapsed() - this.#openedAt < JUST_NOW_MS;
    this.#openedAt = undefined;
    if (isNew) return [];
    const known = new Set(this.#now.warnings);
    this.#now = await this.#load();
    return this.#now.warnings.filter((line) => !known.has(line));
  }
}

/**
 * How many children work at the same time. One that only waits for its own children gives its place back meanwhile and
 * gets one again ahead of the queue: a tree can never stand still because its upper half holds all places.
 */

export type Slot = { release(): void };

/** Kept for one that will come as soon as it is ready, with its number in the order in which it was asked for. */
export type Announced = Slot & { readonly number: number };

export class Slots {
  readonly #limit: number;
  readonly #maxQueue: number;
  #taken = 0;
  /** Being made ready: they will come for a place in a moment. */
  #announced = 0;
  #lastNumber = 0;
  readonly #queue: Waiter[] = [];
  readonly #returning: Waiter[] = [];

  constructor(limit: number, maxQueue = 200) {
    this.#limit = limit;
    this.#maxQueue = maxQueue;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /**
   * For one that will come for a place as soon as it is ready; undefined when no more can even wait. Released when it
   * has come, or will not.
   */
  announce(): Announced | undefined {
    const free = Math.max(0, this.#limit - this.#taken);
    const willWait = this.#queue.length + Math.max(0, this.#announced - free);
    if (this.#announced >= free && willWait >= this.#maxQueue) return undefined;
    this.#announced += 1;
    this.#lastNumber += 1;
    const slot = once(() => {
      this.#announced -= 1;
    });
    return { ...slot, number: this.#lastNumber };
  }

  /** Resolves with a place, or undefined when the signal aborts first. Without a number it comes last. */
  enter(
    signal: AbortSignal,
    onQueued: () => void = () => {},
    number = Number.POSITIVE_INFINITY,
  ): Promise<Slot | undefined> {
    return this.#wait(this.#queue, signal, onQueued, number);
  }

  /** For one that gave its place back: goes before all that are new. */
  reenter(signal: AbortSignal): Promise<Slot | undefined> {
    return this.#wait(this.#returning, signal, () => {}, Number.POSITIVE_INFINITY);
  }

  async #wait(line: Waiter[], signal: AbortSignal, onQueued: () => void, number: number): Promise<Slot | undefined> {
    if (signal.aborted) return undefined;
    if (this.#taken < this.#limit && this.#returning.length === 0 && (line === this.#returning || line.length === 0)) {
      return this.#take();
    }
    onQueued();
    return new Promise((resolve) => {
      const leave = () => {
        line.splice(line.indexOf(waiter), 1);
        resolve(undefined);
      };
      const go = () => {
        signal.removeEventListener('abort', leave);
        resolve(this.#take());
      };
      const waiter: Waiter = { number, go };
      signal.addEventListener('abort', leave, { once: true });
      // One that was ready later may have been asked for earlier.
      const before = line.findIndex((other) => other.number > number);
      line.splice(before < 0 ? line.length : before, 0, waiter);
    });
  }

  #take(): Slot {
    this.#taken += 1;
    return once(() => {
      this.#taken -= 1;
      (this.#returning.shift() ?? this.#queue.shift())?.go();
    });
  }
}

function once(release: () => void): Slot {
  let held = true;
  return {
    release: () => {
      if (held) release();
      held = false;
    },
  };
}

type Waiter = { readonly number: number; readonly go: () => void };

/**
 * Limits how many children run at the same time. A child that only waits for its own children lends its slot and gets
 * one back ahead of the queue, so that a tree can't deadlock.
 */

export type Slot = { release(): void };

/** A reservation for a child being prepared, with its position in the order of requests. */
export type Announced = Slot & { readonly number: number };

export class Slots {
  readonly #limit: number;
  readonly #maxQueue: number;
  #taken = 0;
  /** Children being prepared. */
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
   * Reserves a place for a child being prepared. Returns undefined if the queue is full. Release it when the child has
   * entered, or never will.
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

  /** Resolves with a slot, or with undefined if the signal aborts first. Without a number, it queues last. */
  enter(
    signal: AbortSignal,
    onQueued: () => void = () => {},
    number = Number.POSITIVE_INFINITY,
  ): Promise<Slot | undefined> {
    return this.#wait(this.#queue, signal, onQueued, number);
  }

  /** Takes precedence over all new agents, for an agent that lent its slot. */
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
      // A child that is ready later may have been requested earlier.
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

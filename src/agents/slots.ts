/**
 * How many children work at the same time. One that only waits for its own children gives its place back meanwhile and
 * gets one again ahead of the queue: a tree can never stand still because its upper half holds all places.
 */

export type Place = { release(): void };

export class Slots {
  readonly #limit: number;
  readonly #maxQueue: number;
  #taken = 0;
  readonly #queue: Waiter[] = [];
  readonly #returning: Waiter[] = [];

  constructor(limit: number, maxQueue = 200) {
    this.#limit = limit;
    this.#maxQueue = maxQueue;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** No more can even wait. */
  get isFull(): boolean {
    return this.#taken >= this.#limit && this.#queue.length >= this.#maxQueue;
  }

  /** Resolves with a place, or undefined when the signal aborts first. */
  enter(signal: AbortSignal, onQueued: () => void = () => {}): Promise<Place | undefined> {
    return this.#wait(this.#queue, signal, onQueued);
  }

  /** For one that gave its place back: goes before all that are new. */
  reenter(signal: AbortSignal): Promise<Place | undefined> {
    return this.#wait(this.#returning, signal, () => {});
  }

  async #wait(line: Waiter[], signal: AbortSignal, onQueued: () => void): Promise<Place | undefined> {
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
      const waiter: Waiter = () => {
        signal.removeEventListener('abort', leave);
        resolve(this.#take());
      };
      signal.addEventListener('abort', leave, { once: true });
      line.push(waiter);
    });
  }

  #take(): Place {
    this.#taken += 1;
    let held = true;
    return {
      release: () => {
        if (!held) return;
        held = false;
        this.#taken -= 1;
        (this.#returning.shift() ?? this.#queue.shift())?.();
      },
    };
  }
}

type Waiter = () => void;

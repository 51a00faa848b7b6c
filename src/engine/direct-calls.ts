/** Clients' calls of the main agent's tools: which are running, and which wait for each other. */

import { newAbort } from '../host/clock.js';

export class DirectCalls {
  readonly #running = new Map<string, AbortController>();
  /** The last call that must not overlap with another of its kind. */
  #last: Promise<unknown> = Promise.resolve();
  #prepared: Promise<void> | undefined;
  /** The number of calls that wait for it. */
  #preparing = 0;

  /**
   * `prepare` runs before the first of several calls that have one, and these wait for it. As within a reply, calls
   * that are not `concurrent` run one after the other; reads and agents run meanwhile. Undefined: the id is in use.
   */
  async run<T>(
    call: string,
    work: (signal: AbortSignal) => Promise<T>,
    how: { readonly concurrent: boolean; prepare?(): Promise<void> },
  ): Promise<T | undefined> {
    if (this.#running.has(call)) return undefined;
    const own = newAbort();
    if (how.prepare !== undefined) {
      if (this.#preparing === 0) this.#prepared = how.prepare();
      this.#preparing += 1;
    }
    this.#running.set(call, own);
    try {
      if (how.prepare !== undefined) await this.#prepared;
      return await (how.concurrent ? work(own.signal) : this.#serially(() => work(own.signal)));
    } finally {
      this.#running.delete(call);
      if (how.prepare !== undefined) this.#preparing -= 1;
    }
  }

  #serially<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** False if no such call is running. */
  cancel(call: string): boolean {
    const own = this.#running.get(call);
    own?.abort();
    return own !== undefined;
  }

  cancelAll(): void {
    for (const own of this.#running.values()) own.abort();
  }
}

/**
 * Siblings that fork from one point share more than their parent has cached. The first goes ahead and pays for that
 * part; the others follow when its response has begun, because only then can it be read. Nobody waits longer than
 * the warm-up time, whatever becomes of the first.
 */

import type { Clock } from '../../host/clock.js';
import type { ModelData } from '../../model/models.js';
import type { FrozenMessage } from '../../protocol/frozen-block.js';
import type { Listener } from '../../session/emit.js';
import { type ForkPoint, sharedBeyondParent } from './fork.js';

export class WarmUps {
  readonly #clock: Clock;
  readonly #listeners: Set<Listener>;
  readonly #warmupMs: number;
  readonly #open = new WeakMap<FrozenMessage, Promise<void>>();

  constructor(clock: Clock, listeners: Set<Listener>, warmupMs: number) {
    this.#clock = clock;
    this.#listeners = listeners;
    this.#warmupMs = warmupMs;
  }

  /** What siblings share beyond their parent's cached part is big enough for the API to cache. */
  isWorthIt(point: ForkPoint, model: ModelData): boolean {
    return sharedBeyondParent(point) >= model.cacheMinimum;
  }

  /** The first to come for a point returns at once and leads; the others when the way is warm, or the time is up. */
  async enter(point: FrozenMessage, agent: string, signal: AbortSignal): Promise<void> {
    const open = this.#open.get(point);
    if (open === undefined) {
      this.#open.set(point, this.#lead(agent));
      return;
    }
    const settled = new AbortController();
    const stop = () => settled.abort();
    signal.addEventListener('abort', stop, { once: true });
    await Promise.race([open, this.#clock.sleep(this.#warmupMs, settled.signal)]);
    signal.removeEventListener('abort', stop);
    stop();
  }

  /** Settles when the leader's response has begun, when its run has ended some other way, or when the time is up. */
  #lead(agent: string): Promise<void> {
    return new Promise((resolve) => {
      const watch: Listener = ({ agent: whose, event }) => {
        if (whose !== agent) return;
        if (event.kind === 'response-began' || event.kind === 'run-ended' || event.kind === 'fault-met') done();
      };
      const done = () => {
        this.#listeners.delete(watch);
        cancel();
        resolve();
      };
      const cancel = this.#clock.after(this.#warmupMs, done);
      this.#listeners.add(watch);
    });
  }
}

/**
 * The warm-up of siblings, which share more than their parent has cached. A leader goes first and pays for that part;
 * the others wait until its response has begun, because only then can they read it from the cache. If the leader fails
 * before that, the next one leads, and the failed one waits with the others. No fork waits for a leader longer than the
 * warm-up time.
 */

import type { Clock } from '../../host/clock.js';
import type { Listener } from '../../protocol/events.js';
import type { Listeners } from '../../session/emit.js';

/** The state of a fork point's warm-up, shared by all siblings. */
export type WarmUp = {
  /** The fork that goes first. */
  leader: string | undefined;
  /** The cache is warm or the time is up, so no fork waits any more. */
  isOver: boolean;
  /** In order of arrival. */
  readonly waiting: Set<Waiting>;
};

type Waiting = { readonly agent: string; readonly go: () => void };

export function newWarmUp(): WarmUp {
  return { leader: undefined, isOver: false, waiting: new Set() };
}

export class WarmUps {
  readonly #clock: Clock;
  readonly #listeners: Listeners;
  readonly #warmupMs: number;

  constructor(clock: Clock, listeners: Listeners, warmupMs: number) {
    this.#clock = clock;
    this.#listeners = listeners;
    this.#warmupMs = warmupMs;
  }

  /**
   * Awaited before the first request of a fork, and before each retry of it. Returns at once for the leader; for the
   * others when the cache is warm, when they become the leader, or when the time is up.
   */
  async enter(warmUp: WarmUp | undefined, agent: string, signal: AbortSignal): Promise<void> {
    if (warmUp === undefined || warmUp.isOver || signal.aborted) return;
    if (warmUp.leader === undefined) return this.#lead(warmUp, agent);
    await new Promise<void>((resolve) => {
      const go = () => {
        signal.removeEventListener('abort', go);
        warmUp.waiting.delete(waiting);
        resolve();
      };
      const waiting: Waiting = { agent, go };
      warmUp.waiting.add(waiting);
      signal.addEventListener('abort', go, { once: true });
    });
  }

  #lead(warmUp: WarmUp, agent: string): void {
    warmUp.leader = agent;
    const watch: Listener = ({ agent: whose, event }) => {
      if (whose !== agent) return;
      stop();
      if (event.kind === 'response-began') end(warmUp);
      else this.#leadNext(warmUp);
    };
    const unlisten = this.#listeners.add(watch, ['response-began', 'fault-met', 'run-ended']);
    const cancel = this.#clock.after(this.#warmupMs, () => {
      stop();
      end(warmUp);
    });
    const stop = () => {
      unlisten();
      cancel();
    };
  }

  #leadNext(warmUp: WarmUp): void {
    warmUp.leader = undefined;
    const [next] = warmUp.waiting;
    if (next === undefined) return;
    this.#lead(warmUp, next.agent);
    next.go();
  }
}

function end(warmUp: WarmUp): void {
  warmUp.isOver = true;
  for (const { go } of warmUp.waiting) go();
}

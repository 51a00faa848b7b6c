/**
 * The prompt cache of forks. Siblings share more than their parent has cached: the first one pays for that part and the
 * others wait until its response has begun, because only then can they read it, but never longer than the warm-up time.
 * A fork that reads much less than its parent has cached is reported, with the reason.
 */

import type { Clock } from '../../host/clock.js';
import type { ModelData } from '../../model/models.js';
import type { Listener, LiveEvent, SharedBytes } from '../../protocol/events.js';
import type { Listeners } from '../../session/emit.js';
import { type ForkPoint, sharedBeyondParent } from './fork-point.js';

export class WarmUps {
  readonly #clock: Clock;
  readonly #listeners: Listeners;
  readonly #warmupMs: number;

  constructor(clock: Clock, listeners: Listeners, warmupMs: number) {
    this.#clock = clock;
    this.#listeners = listeners;
    this.#warmupMs = warmupMs;
  }

  /** True when the part siblings share beyond their parent's cache is large enough for the API to cache. */
  isWorthIt(point: ForkPoint, model: ModelData): boolean {
    return sharedBeyondParent(point) >= model.cacheMinimum;
  }

  /** The first caller for a point leads and returns at once. The others return when the cache is warm or time is up. */
  async enter({ warmUp }: ForkPoint, agent: string, signal: AbortSignal): Promise<void> {
    if (warmUp.done === undefined) {
      warmUp.done = this.#lead(agent);
      return;
    }
    const settled = new AbortController();
    const stop = () => settled.abort();
    signal.addEventListener('abort', stop, { once: true });
    await Promise.race([warmUp.done, this.#clock.sleep(this.#warmupMs, settled.signal)]);
    signal.removeEventListener('abort', stop);
    stop();
  }

  /** Resolves when the leader's response has begun, when its run has ended, or when time is up. */
  #lead(agent: string): Promise<void> {
    return new Promise((resolve) => {
      const watch: Listener = ({ agent: whose, event }) => {
        if (whose !== agent) return;
        if (event.kind === 'response-began' || event.kind === 'run-ended' || event.kind === 'fault-met') done();
      };
      const done = () => {
        unlisten();
        cancel();
        resolve();
      };
      const cancel = this.#clock.after(this.#warmupMs, done);
      const unlisten = this.#listeners.add(watch);
    });
  }
}

export type ExpectedStart = {
  /** Tokens its parent had in the cache when it forked. */
  readonly cached: number;
  readonly model: Pick<ModelData, 'id' | 'keepsThinking'>;
  readonly description: string;
  readonly warn: (warning: Extract<LiveEvent, { kind: 'line-shown' }>) => void;
};

const WARM_SHARE = 0.9;

/** Checks a fork once, at its first reply. */
export function warnIfCold(listeners: Listeners, fork: string, expected: ExpectedStart): void {
  const listener: Listener = ({ agent, event }) => {
    if (agent !== fork) return;
    unlisten();
    if (event.kind !== 'assistant-replied') return;
    const line = coldStartLine(expected, event.usage.cacheRead, event.shared);
    if (line !== undefined) expected.warn({ kind: 'line-shown', level: 'warning', line });
  };
  const unlisten = listeners.add(listener, ['assistant-replied', 'run-ended']);
}

export function coldStartLine(
  { cached, model, description }: Omit<ExpectedStart, 'warn'>,
  read: number,
  shared: SharedBytes | undefined,
): string | undefined {
  if (cached === 0 || read >= cached * WARM_SHARE) return undefined;
  const percent = Math.floor((100 * read) / cached);
  const figures = `it read ${read} of the ${cached} tokens its parent had cached (${percent} %)`;
  return `the fork "${description}" started cold: ${figures}; ${coldReason(model, shared)}`;
}

function coldReason(model: ExpectedStart['model'], shared: SharedBytes | undefined): string {
  if (shared?.difference !== undefined) return `the first difference: ${shared.difference}`;
  if (!model.keepsThinking) {
    return `${model.id} drops earlier thinking when text follows tool results (keepsThinking is false), so that what it sees is not what its parent saw`;
  }
  return 'its bytes are those of its parent, so the cache entry was gone: it had expired, or the server had dropped it';
}

/** The clock of the simulated model. The host's `Clock` is compatible. */

import { setTimeout as wait } from 'node:timers/promises';

export interface SimClock {
  /** Milliseconds since a fixed point. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const simClock: SimClock = {
  now: () => Date.now(),
  sleep: (ms, signal) => wait(ms, undefined, { signal }).catch(() => {}),
};

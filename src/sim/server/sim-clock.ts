/** Time, as the simulated model uses it. The `Clock` of the host fits. */

import { setTimeout as wait } from 'node:timers/promises';

export interface SimClock {
  /** Milliseconds since some point. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const simClock: SimClock = {
  now: () => Date.now(),
  sleep: (ms, signal) => wait(ms, undefined, { signal }).catch(() => {}),
};

/** The real machine, whose timers a test can read and make ring at once: for limits nobody wants to wait for. */

import { realClock } from '../../../src/host/clock.js';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { Stage } from '../story.js';

/** `ring` is undefined for one who sleeps. */
export type NotedTimer = { readonly ms: number; readonly ring?: () => void };

export function notedTimers({ folder, env }: Stage): { readonly host: Host; readonly timers: readonly NotedTimer[] } {
  const timers: NotedTimer[] = [];
  const clock: Host['clock'] = {
    ...realClock,
    sleep: (ms, signal) => {
      timers.push({ ms });
      return realClock.sleep(ms, signal);
    },
    after: (ms, ring) => {
      timers.push({ ms, ring });
      return realClock.after(ms, ring);
    },
  };
  const noted = (host: Host): Host => ({ ...host, clock, at: (other) => noted(host.at(other)) });
  return { host: noted(nodeHost(folder, env)), timers };
}

/** The real machine with a clock that runs faster, so that waiting between tries costs a test nothing. */

import type { Clock } from '../../../src/host/clock.js';
import { realClock } from '../../../src/host/clock.js';
import type { Environment, Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';

export function fastHost(folder: string, env: Environment, speed = 50): Host {
  const start = realClock.now();
  const clock: Clock = {
    now: () => start + (realClock.now() - start) * speed,
    elapsed: () => realClock.elapsed() * speed,
    sleep: (ms, signal) => realClock.sleep(ms / speed, signal),
    after: (ms, then) => realClock.after(ms / speed, then),
  };
  return { ...nodeHost(folder, env), clock, at: (other) => fastHost(other, env, speed) };
}

/** What the tests of remote.test.ts share with those of test:long. */

import { realClock } from '../../../../../src/host/clock.js';
import type { Host } from '../../../../../src/host/host.js';
import type { HttpServer } from './http-server.js';

/** Waits between tries cost nothing; limits are as long as they are. */
export const fast = (host: Host): Host => ({
  ...host,
  clock: {
    ...realClock,
    sleep: (ms, signal) => realClock.sleep(ms / 200, signal),
    after: (ms, ring) => realClock.after([1, 2, 4, 8, 16].includes(ms / 1000) ? ms / 200 : ms, ring),
  },
});

export const remote = (server: HttpServer, headers = {}) => ({ kind: 'http', url: server.url, headers }) as const;

export const STREAM = { 'content-type': 'text/event-stream' };

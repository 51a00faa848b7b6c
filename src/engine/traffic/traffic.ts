/** The model traffic of a session that is recorded or replayed, as the rest of the engine sees it. */

import type { Runtime } from '../../agents/runtime.js';
import type { PlainFetch } from '../../host/network.js';
import type { Pace } from '../../loop/ports.js';
import type { ReplayStatus } from '../../sim/recording/traffic-replay.js';

export type Traffic = {
  /** The `fetch` that is used: around the real one, or in its place. In its place, no key is needed. */
  readonly fetch:
    | { readonly kind: 'around'; wrap(fetch: PlainFetch): PlainFetch }
    | { readonly kind: 'instead'; readonly fetch: PlainFetch };
  readonly pace?: Pace;
  /** Things to know, a line each. */
  readonly warnings: readonly string[];
  /** From now on it sees what happens in the session. */
  follow(runtime: Runtime): void;
  /** How a replay stands. */
  status?(): ReplayStatus;
};

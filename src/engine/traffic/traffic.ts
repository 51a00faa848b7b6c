/** The recorder or replay of a session's model traffic, as the rest of the engine sees it. */

import type { Runtime } from '../../agents/runtime.js';
import type { PlainFetch } from '../../host/network.js';
import type { Pace } from '../../loop/ports.js';
import type { ReplayStatus } from '../../sim/recording/traffic-replay.js';

export type Traffic = {
  /** The `fetch` to use: around the real one, or instead of it. Instead of it, no key is needed. */
  readonly fetch:
    | { readonly kind: 'around'; wrap(fetch: PlainFetch): PlainFetch }
    | { readonly kind: 'instead'; readonly fetch: PlainFetch };
  readonly pace?: Pace;
  /** Notes for the user, one line each. */
  readonly warnings: readonly string[];
  /** Follows the events of the session from now on. */
  follow(runtime: Runtime): void;
  /** The status of a replay. */
  status?(): ReplayStatus;
};

/** What all agents of a session share: nothing here is built again for a child. */

import type { SessionPlaces } from '../config/places.js';
import type { Hooks } from '../gate/hooks/hooks.js';
import type { Host } from '../host/host.js';
import type { Budget } from '../loop/budget.js';
import type { Ports } from '../loop/ports.js';
import type { CacheLifetime } from '../model/body.js';
import type { ModelOverrides } from '../model/models.js';
import type { Watcher } from '../session/emit.js';

export interface Crew {
  readonly host: Host;
  readonly places: SessionPlaces;
  readonly ports: Ports;
  readonly hooks: Hooks;
  readonly watchers: Set<Watcher>;
  readonly budget: Budget;
  readonly models: ModelOverrides;
  readonly cacheLifetime: CacheLifetime;
  readonly maxOutputTokens: number;
}

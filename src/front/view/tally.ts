/** Adds up a session over all agents: turns, usage by model, cost, denials. For programs that need only totals. */

import type { ModelOverrides } from '../../model/models.js';
import type { SessionEvent } from '../../protocol/events.js';
import type { Usage } from '../../protocol/usage.js';
import { createView, type Denial, totalCost, totalUsage } from './session-view.js';

export class Tally {
  readonly #view = createView();

  /** A listener for `session.watch`. */
  readonly watch = (sessionEvent: SessionEvent): void => this.#view.apply(sessionEvent, 0);

  get turns(): number {
    return this.#view.totals.turns;
  }

  get usageByModel(): ReadonlyMap<string, Usage> {
    return this.#view.totals.usageByModel;
  }

  get denials(): readonly Denial[] {
    return this.#view.totals.denials;
  }

  get usage(): Usage {
    return totalUsage(this.#view.totals);
  }

  /** In dollars. Models without a price add zero. */
  cost(overrides: ModelOverrides = {}): number {
    return totalCost(this.#view.totals, overrides);
  }
}

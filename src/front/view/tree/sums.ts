/** What agents have used, in figures that add up: tokens, cache share, cost, and what the cache saved (TU-31). */

import { costOf, costWithoutCache, type ModelOverrides, modelData } from '../../../model/models.js';
import { inputTokens } from '../../../protocol/usage.js';
import type { AgentView } from '../agent-view.js';

export type Sums = {
  /** Tokens that went in, however they were paid for. */
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
  /** In dollars. Models without a price count as zero: see `isPriced`. */
  readonly cost: number;
  /** What the input would have cost without the cache, less what it did. Below zero where it was written and not read. */
  readonly saved: number;
  /** Whether every model that was used has a price. */
  readonly isPriced: boolean;
};

export const NO_SUMS: Sums = { input: 0, cacheRead: 0, output: 0, cost: 0, saved: 0, isPriced: true };

export function addSums(a: Sums, b: Sums): Sums {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    output: a.output + b.output,
    cost: a.cost + b.cost,
    saved: a.saved + b.saved,
    isPriced: a.isPriced && b.isPriced,
  };
}

/** Undefined before the first request. */
export function cacheShare({ input, cacheRead }: Sums): number | undefined {
  return input === 0 ? undefined : cacheRead / input;
}

/** Figures of agents, each counted once for every change of what it used. */
export class SumsOfAgents {
  readonly #models: ModelOverrides;
  readonly #known = new WeakMap<AgentView['usageByModel'], Sums>();

  constructor(models: ModelOverrides) {
    this.#models = models;
  }

  of({ usageByModel }: AgentView): Sums {
    const known = this.#known.get(usageByModel);
    if (known !== undefined) return known;
    const sums = countSums(usageByModel, this.#models);
    this.#known.set(usageByModel, sums);
    return sums;
  }
}

function countSums(usageByModel: AgentView['usageByModel'], models: ModelOverrides): Sums {
  let sums = NO_SUMS;
  for (const [model, usage] of usageByModel) {
    const data = modelData(model, models);
    const cost = costOf(usage, data);
    sums = addSums(sums, {
      input: inputTokens(usage),
      cacheRead: usage.cacheRead,
      output: usage.output,
      cost: cost ?? 0,
      saved: (costWithoutCache(usage, data) ?? 0) - (cost ?? 0),
      isPriced: cost !== undefined,
    });
  }
  return sums;
}

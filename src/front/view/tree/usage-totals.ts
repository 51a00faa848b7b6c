/** Usage of agents in numbers that add up: tokens, cache share, cost, and savings by the cache (TU-31). */

import { costOf, costWithoutCache, type ModelData, type ModelOverrides, modelData } from '../../../model/models.js';
import { inputTokens, type Usage } from '../../../protocol/usage.js';
import type { AgentView } from '../agent-view.js';

export type UsageTotals = {
  /** Input tokens, at any price. */
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
  /** In dollars. Models without a price add zero: see `isPriced`. */
  readonly cost: number;
  /** Cost of the input without the cache, less its actual cost. Negative if it was written and not read. */
  readonly saved: number;
  /** True if every model that was used has a price. */
  readonly isPriced: boolean;
};

export const NO_USAGE_TOTALS: UsageTotals = { input: 0, cacheRead: 0, output: 0, cost: 0, saved: 0, isPriced: true };

/** Undefined before the first request. */
export function cacheShare({ input, cacheRead }: UsageTotals): number | undefined {
  return input === 0 ? undefined : cacheRead / input;
}

/** Adds up many totals. */
export function totalOf(all: Iterable<UsageTotals>): UsageTotals {
  const total = { ...NO_USAGE_TOTALS } as { -readonly [K in keyof UsageTotals]: UsageTotals[K] };
  for (const { input, cacheRead, output, cost, saved, isPriced } of all) {
    total.input += input;
    total.cacheRead += cacheRead;
    total.output += output;
    total.cost += cost;
    total.saved += saved;
    total.isPriced &&= isPriced;
  }
  return total;
}

/** Totals of agents, computed once per change of usage. */
export class AgentUsageTotals {
  readonly #models: ModelOverrides;
  readonly #data = new Map<string, ModelData>();
  readonly #known = new WeakMap<AgentView['usageByModel'], UsageTotals>();

  constructor(models: ModelOverrides) {
    this.#models = models;
  }

  of({ usageByModel }: AgentView): UsageTotals {
    const known = this.#known.get(usageByModel);
    if (known !== undefined) return known;
    const totals = totalOf([...usageByModel].map(([model, usage]) => totalsOf(usage, this.#dataOf(model))));
    this.#known.set(usageByModel, totals);
    return totals;
  }

  #dataOf(model: string): ModelData {
    const known = this.#data.get(model) ?? modelData(model, this.#models);
    this.#data.set(model, known);
    return known;
  }
}

function totalsOf(usage: Usage, data: ModelData): UsageTotals {
  const cost = costOf(usage, data);
  return {
    input: inputTokens(usage),
    cacheRead: usage.cacheRead,
    output: usage.output,
    cost: cost ?? 0,
    saved: (costWithoutCache(usage, data) ?? 0) - (cost ?? 0),
    isPriced: cost !== undefined,
  };
}

/** What agents have used, in figures that add up: tokens, cache share, cost, and what the cache saved (TU-31). */

import { costOf, costWithoutCache, type ModelData, type ModelOverrides, modelData } from '../../../model/models.js';
import { inputTokens, type Usage } from '../../../protocol/usage.js';
import type { AgentView } from '../agent-view.js';

export type UsageTotals = {
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

export const NO_USAGE_TOTALS: UsageTotals = { input: 0, cacheRead: 0, output: 0, cost: 0, saved: 0, isPriced: true };

/** Undefined before the first request. */
export function cacheShare({ input, cacheRead }: UsageTotals): number | undefined {
  return input === 0 ? undefined : cacheRead / input;
}

/** Adds up the figures of many. */
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

/** Figures of agents, each counted once for every change of what it used. */
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
    const sums = totalOf([...usageByModel].map(([model, usage]) => sumsOf(usage, this.#dataOf(model))));
    this.#known.set(usageByModel, sums);
    return sums;
  }

  #dataOf(model: string): ModelData {
    const known = this.#data.get(model) ?? modelData(model, this.#models);
    this.#data.set(model, known);
    return known;
  }
}

function sumsOf(usage: Usage, data: ModelData): UsageTotals {
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

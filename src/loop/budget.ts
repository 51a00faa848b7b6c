/** One budget for a session and all its agents, checked before each request against the worst it can cost. */

import { costOf, type ModelData } from '../model/models.js';
import { inputTokens, type Usage } from '../protocol/usage.js';

export type BudgetLimits = { readonly maxUsd?: number; readonly maxTokens?: number };

/** Of a budget in dollars, the share one reply may cost at most. */
const REPLY_SHARE = 0.25;
const SMALLEST_REPLY = 1_024;

export class Budget {
  readonly #limits: BudgetLimits;
  readonly #whole: Budget | undefined;
  #usd = 0;
  #tokens = 0;

  /** `whole` is the budget this one is a part of: what is spent here is spent there. */
  constructor(limits: BudgetLimits = {}, whole?: Budget) {
    this.#limits = limits;
    this.#whole = whole;
  }

  get usd(): number {
    return this.#usd;
  }

  add(usage: Usage, model: ModelData): void {
    this.#usd += costOf(usage, model) ?? 0;
    this.#tokens += inputTokens(usage) + usage.output;
    this.#whole?.add(usage, model);
  }

  /** Which limit a request with these tokens could go over, if any. */
  refuses(model: ModelData, input: number, output: number): 'max_usd' | 'max_tokens' | undefined {
    const above = this.#whole?.refuses(model, input, output);
    if (above !== undefined) return above;
    const { maxUsd, maxTokens } = this.#limits;
    if (maxTokens !== undefined && this.#tokens + input + output > maxTokens) return 'max_tokens';
    if (maxUsd === undefined || model.prices === undefined) return undefined;
    const worst = (input * model.prices.cacheWrite5m + output * model.prices.output) / 1_000_000;
    return this.#usd + worst > maxUsd ? 'max_usd' : undefined;
  }

  /** The longest reply to ask for, so that a small budget is not refused for a worst case nobody needs. */
  replyLimit(model: ModelData, wanted: number): number {
    const { maxUsd, maxTokens } = this.#limits;
    let limit = this.#whole?.replyLimit(model, wanted) ?? wanted;
    if (maxTokens !== undefined) limit = Math.min(limit, Math.floor(maxTokens * REPLY_SHARE));
    if (maxUsd !== undefined && model.prices !== undefined) {
      limit = Math.min(limit, Math.floor((maxUsd * REPLY_SHARE * 1_000_000) / model.prices.output));
    }
    return Math.min(wanted, Math.max(SMALLEST_REPLY, limit));
  }
}

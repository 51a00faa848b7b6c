/**
 * The budget of a session and all its agents, as an account: the worst a request can cost is reserved before it is sent
 * and settled when it has ended, so that requests in flight count too.
 */

import { costOf, type ModelData } from '../model/models.js';
import { inputTokens, type Usage } from '../protocol/usage.js';

export type AccountLimits = { readonly maxUsd?: number; readonly maxTokens?: number };

export type LimitReached = 'max_usd' | 'max_tokens';

export type Reserved =
  | { readonly ok: true; readonly reservation: Reservation }
  | { readonly ok: false; readonly limit: LimitReached };

export interface Reservation {
  /** What one try of the request used. It is spent, whatever became of the try. */
  spend(usage: Usage): void;
  /** The request has ended: what was reserved is free again. Safe to call twice. */
  release(): void;
}

/** Of a budget, the share one reply may cost at most. */
const REPLY_SHARE = 0.25;
const SMALLEST_REPLY = 1_024;

type Amount = { readonly usd: number; readonly tokens: number };

export class Account {
  readonly #limits: AccountLimits;
  readonly #whole: Account | undefined;
  #usd = 0;
  #tokens = 0;

  /** `whole` is the account this one is a part of: what is spent here is spent there. */
  constructor(limits: AccountLimits = {}, whole?: Account) {
    this.#limits = limits;
    this.#whole = whole;
  }

  /** For a request with so many tokens in, and at most so many out. */
  reserve(model: ModelData, input: number, output: number): Reserved {
    const limit = this.refuses(model, input, output);
    if (limit !== undefined) return { ok: false, limit };
    const worst = worstCase(model, input, output);
    this.#add(worst);
    let held = true;
    return {
      ok: true,
      reservation: {
        spend: (usage) => this.#add({ usd: costOf(usage, model) ?? 0, tokens: inputTokens(usage) + usage.output }),
        release: () => {
          if (held) this.#add({ usd: -worst.usd, tokens: -worst.tokens });
          held = false;
        },
      },
    };
  }

  /** Which limit such a request could go over, with what is spent and reserved; undefined: none. */
  refuses(model: ModelData, input: number, output: number): LimitReached | undefined {
    const above = this.#whole?.refuses(model, input, output);
    if (above !== undefined) return above;
    const { maxUsd, maxTokens } = this.#limits;
    const worst = worstCase(model, input, output);
    if (maxTokens !== undefined && this.#tokens + worst.tokens > maxTokens) return 'max_tokens';
    if (maxUsd === undefined || model.prices === undefined) return undefined;
    return this.#usd + worst.usd > maxUsd ? 'max_usd' : undefined;
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

  #add({ usd, tokens }: Amount): void {
    this.#usd += usd;
    this.#tokens += tokens;
    if (this.#whole !== undefined) this.#whole.#add({ usd, tokens });
  }
}

/** A limit of its own is a part of the whole; without one it is the whole itself. */
export function childAccount(whole: Account, maxUsd: number | undefined): Account {
  return maxUsd === undefined ? whole : new Account({ maxUsd }, whole);
}

function worstCase({ prices }: ModelData, input: number, output: number): Amount {
  const usd = prices === undefined ? 0 : (input * prices.cacheWrite5m + output * prices.output) / 1_000_000;
  return { usd, tokens: input + output };
}

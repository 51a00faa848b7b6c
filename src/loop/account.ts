/**
 * The budget of a session and all its agents. The worst case of a request is reserved before it is sent and settled when
 * it ends, so that requests in flight count.
 */

import { costOf, type ModelData } from '../model/models.js';
import { inputTokens, type Usage } from '../protocol/usage.js';

export type AccountLimits = { readonly maxUsd?: number; readonly maxTokens?: number };

export type LimitReached = 'max_usd' | 'max_tokens';

export type Reserved =
  | { readonly ok: true; readonly reservation: Reservation }
  | { readonly ok: false; readonly limit: LimitReached };

export interface Reservation {
  /** Adds what one attempt used, whether it succeeded or not. */
  spend(usage: Usage): void;
  /** Frees the reservation when the request has ended. Safe to call twice. */
  release(): void;
}

/** The largest share of a budget that one reply may cost. */
const REPLY_SHARE = 0.25;
const SMALLEST_REPLY = 1_024;

type Amount = { readonly usd: number; readonly tokens: number };

export class Account {
  readonly #limits: AccountLimits;
  readonly #whole: Account | undefined;
  #usd = 0;
  #tokens = 0;

  /** `whole`: the account this one is a part of. What is spent here is spent there, too. */
  constructor(limits: AccountLimits = {}, whole?: Account) {
    this.#limits = limits;
    this.#whole = whole;
  }

  /** For a request with `input` tokens and at most `output` tokens of reply. */
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

  /** The limit such a request could exceed, given what is spent and reserved. */
  refuses(model: ModelData, input: number, output: number): LimitReached | undefined {
    const above = this.#whole?.refuses(model, input, output);
    if (above !== undefined) return above;
    const { maxUsd, maxTokens } = this.#limits;
    const worst = worstCase(model, input, output);
    if (maxTokens !== undefined && this.#tokens + worst.tokens > maxTokens) return 'max_tokens';
    if (maxUsd === undefined || model.prices === undefined) return undefined;
    return this.#usd + worst.usd > maxUsd ? 'max_usd' : undefined;
  }

  /** The longest reply to ask for, so that a small budget does not refuse every request for its worst case. */
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

/** With a limit, a part of the whole; without one, the whole itself. */
export function childAccount(whole: Account, maxUsd: number | undefined): Account {
  return maxUsd === undefined ? whole : new Account({ maxUsd }, whole);
}

function worstCase({ prices }: ModelData, input: number, output: number): Amount {
  const usd = prices === undefined ? 0 : (input * prices.cacheWrite5m + output * prices.output) / 1_000_000;
  return { usd, tokens: input + output };
}

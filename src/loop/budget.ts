/**
 * The budget of a session and all its agents. The worst case of a request is reserved before it is sent and settled
 * when it ends, so that requests in flight are included.
 */

import { untilWoken } from '../host/clock.js';
import { costOf, type ModelData, searchCost } from '../model/models.js';
import type { CacheLifetime } from '../model/request.js';
import { exactMoney, money } from '../protocol/format-numbers.js';
import { inputTokens, type Usage } from '../protocol/usage.js';

export type BudgetLimits = {
  readonly maxUsd?: number;
  readonly maxTokens?: number;
  /** Determines the highest price of a request's input. */
  readonly cacheLifetime?: CacheLifetime;
};

export type LimitReached = 'max_usd' | 'max_tokens';

export type Reserved = { readonly ok: true; readonly reservation: Reservation } | Refused;

/** `line` is the message for the user. */
export type Refused = { readonly ok: false; readonly limit: LimitReached; readonly line: string };

/** The reservation of one attempt; a retry makes its own. */
export interface Reservation {
  /** Adds the usage of the attempt, successful or not. */
  spend(usage: Usage): void;
  /** Releases the reservation after the attempt. Safe to call twice. */
  release(): void;
}

/** The largest share of a budget that one reply may cost. */
const REPLY_SHARE = 0.25;
const SMALLEST_REPLY = 1_024;

/** `searches`: web searches made by the provider. */
type Size = { readonly input: number; readonly output: number; readonly searches: number };

type Amount = { readonly usd: number; readonly tokens: number };

const NOTHING: Amount = { usd: 0, tokens: 0 };

export class Budget {
  readonly #limits: BudgetLimits;
  readonly #whole: Budget | undefined;
  #spent: Amount = NOTHING;
  #reserved: Amount = NOTHING;
  /** Requests waiting for a release. Only used on the outermost budget. */
  readonly #waiting = new Set<() => void>();

  /** `whole`: the budget that this one is part of. Spending here is spending there, too. */
  constructor(limits: BudgetLimits = {}, whole?: Budget) {
    this.#limits = limits;
    this.#whole = whole;
  }

  /**
   * Reserves the worst case of one attempt: `input` tokens, `output` tokens of reply and `searches` web searches. Waits
   * while requests in flight hold what it needs, since they may use less than they reserved. Refuses if spending has
   * left no room, or on an abort.
   */
  async reserve(model: ModelData, input: number, output: number, signal: AbortSignal, searches = 0): Promise<Reserved> {
    const size = { input, output, searches };
    for (;;) {
      const refused = this.#excess(model, size, false);
      if (refused !== undefined) return refused;
      const busy = this.#excess(model, size, true);
      if (busy === undefined) return { ok: true, reservation: this.#hold(model, size) };
      if (signal.aborted) return busy;
      await this.#released(signal);
    }
  }

  /** The limit that such a request could exceed. Ignores requests in flight. */
  refuses(model: ModelData, input: number, output: number, searches = 0): LimitReached | undefined {
    return this.#excess(model, { input, output, searches }, false)?.limit;
  }

  /** Why a model can't be used at all: there is a limit in dollars, and the model has no known price. */
  refusesModel(model: ModelData): string | undefined {
    if (model.prices !== undefined) return undefined;
    return this.#limits.maxUsd === undefined ? this.#whole?.refusesModel(model) : needsPrice(model.id);
  }

  /** The output limit to request. Without it, a small budget would refuse every request for its worst case. */
  replyLimit(model: ModelData, requested: number): number {
    const { maxUsd, maxTokens } = this.#limits;
    let limit = this.#whole?.replyLimit(model, requested) ?? requested;
    if (maxTokens !== undefined) limit = Math.min(limit, Math.floor(maxTokens * REPLY_SHARE));
    if (maxUsd !== undefined && model.prices !== undefined) {
      limit = Math.min(limit, Math.floor((maxUsd * REPLY_SHARE * 1_000_000) / model.prices.output));
    }
    return Math.min(requested, Math.max(SMALLEST_REPLY, limit));
  }

  #excess(model: ModelData, size: Size, inFlight: boolean): Refused | undefined {
    const above = this.#whole === undefined ? undefined : this.#whole.#excess(model, size, inFlight);
    if (above !== undefined) return above;
    const { maxUsd, maxTokens } = this.#limits;
    const worst = this.#worstCase(model, size);
    const { usd, tokens } = inFlight ? add(this.#spent, this.#reserved) : this.#spent;
    if (maxTokens !== undefined && tokens + worst.tokens > maxTokens) {
      const left = Math.max(0, maxTokens - tokens);
      return overBudget('max_tokens', '--max-tokens', [`${worst.tokens} tokens`, String(left), String(maxTokens)]);
    }
    if (maxUsd === undefined) return undefined;
    if (model.prices === undefined) return { ok: false, limit: 'max_usd', line: needsPrice(model.id) };
    if (usd + worst.usd <= maxUsd) return undefined;
    const flag = this.#whole === undefined ? '--max-usd' : 'max_usd of this agent';
    return overBudget('max_usd', flag, [worst.usd, Math.max(0, maxUsd - usd), maxUsd].map(dollars));
  }

  /** Uses the highest price that can apply: nothing is cached yet, and all of it is written to the cache. */
  #worstCase(model: ModelData, { input, output, searches }: Size): Amount {
    const { prices } = model;
    if (prices === undefined) return { usd: 0, tokens: input + output };
    const written = this.#cacheLifetime === '1h' ? prices.cacheWrite1h : prices.cacheWrite5m;
    const dearest = Math.max(prices.input, prices.cacheRead, written);
    const usd = (input * dearest + output * prices.output) / 1_000_000 + searchCost(searches, model);
    return { usd, tokens: input + output };
  }

  get #cacheLifetime(): CacheLifetime {
    return this.#outermost.#limits.cacheLifetime ?? '5m';
  }

  #hold(model: ModelData, size: Size): Reservation {
    const worst = this.#worstCase(model, size);
    this.#change(NOTHING, worst);
    let held = true;
    return {
      spend: (usage) => {
        this.#change({ usd: costOf(usage, model) ?? 0, tokens: inputTokens(usage) + usage.output }, NOTHING);
      },
      release: () => {
        if (!held) return;
        held = false;
        this.#change(NOTHING, { usd: -worst.usd, tokens: -worst.tokens });
        for (const wake of [...this.#outermost.#waiting]) wake();
      },
    };
  }

  #change(spent: Amount, reserved: Amount): void {
    this.#spent = add(this.#spent, spent);
    this.#reserved = add(this.#reserved, reserved);
    if (this.#whole !== undefined) this.#whole.#change(spent, reserved);
  }

  get #outermost(): Budget {
    return this.#whole === undefined ? this : this.#whole.#outermost;
  }

  #released(signal: AbortSignal): Promise<void> {
    return untilWoken(this.#outermost.#waiting, signal);
  }
}

/** A part of the whole if there is a limit; otherwise the whole itself. */
export function childBudget(whole: Budget, maxUsd: number | undefined): Budget {
  return maxUsd === undefined ? whole : new Budget({ maxUsd }, whole);
}

export function needsPrice(model: string): string {
  const example = `{"models": {"${model}": {"prices": {"input": 3, "output": 15}}}}`;
  return `--max-usd needs a price, and ${model} has none. Add one to your settings: ${example} (dollars per million tokens)`;
}

function overBudget(limit: LimitReached, flag: string, [worst, left, of]: readonly string[]): Refused {
  const line = `stopped: the next request could go over the budget (${flag}): it may take up to ${worst}, and ${left} of ${of} is left`;
  return { ok: false, limit, line };
}

function dollars(usd: number): string {
  return usd < 0.1 ? exactMoney(usd) : money(usd);
}

function add(a: Amount, b: Amount): Amount {
  return { usd: a.usd + b.usd, tokens: a.tokens + b.tokens };
}

/** The budget of an agent: part of its parent's, minus what the agent has already spent. */
export function remainingBudget(above: Budget, maxUsd: number | undefined, spent: Usage, model: ModelData): Budget {
  const left = maxUsd === undefined ? undefined : Math.max(0, maxUsd - (costOf(spent, model) ?? 0));
  return childBudget(above, left);
}

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

const NOTHING: Amount = { usd: 0, tokens: 0 };

export class Account {
  readonly #limits: AccountLimits;
  readonly #whole: Account | undefined;
  #spent: Amount = NOTHING;
  #reserved: Amount = NOTHING;
  /** Of the outermost account: requests that wait for a reservation to be released. */
  readonly #waiting = new Set<() => void>();

  /** `whole`: the account this one is a part of. What is spent here is spent there, too. */
  constructor(limits: AccountLimits = {}, whole?: Account) {
    this.#limits = limits;
    this.#whole = whole;
  }

  /**
   * Reserves for a request with `input` tokens and at most `output` tokens of reply. Waits while requests in flight hold
   * what it needs: they may use less than they reserved. Refused when what is spent leaves no room, or on an abort.
   */
  async reserve(model: ModelData, input: number, output: number, signal: AbortSignal): Promise<Reserved> {
    const worst = worstCase(model, input, output);
    for (;;) {
      const limit = this.refuses(model, input, output);
      if (limit !== undefined) return { ok: false, limit };
      const busy = this.#exceeds(model, worst, true);
      if (busy === undefined) return { ok: true, reservation: this.#hold(model, worst) };
      if (signal.aborted) return { ok: false, limit: busy };
      await this.#released(signal);
    }
  }

  /** The limit such a request could exceed, given what is spent. Requests in flight don't count. */
  refuses(model: ModelData, input: number, output: number): LimitReached | undefined {
    return this.#exceeds(model, worstCase(model, input, output), false);
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

  #exceeds(model: ModelData, worst: Amount, inFlight: boolean): LimitReached | undefined {
    const above = this.#whole === undefined ? undefined : this.#whole.#exceeds(model, worst, inFlight);
    if (above !== undefined) return above;
    const { maxUsd, maxTokens } = this.#limits;
    const { usd, tokens } = inFlight ? add(this.#spent, this.#reserved) : this.#spent;
    if (maxTokens !== undefined && tokens + worst.tokens > maxTokens) return 'max_tokens';
    if (maxUsd === undefined || model.prices === undefined) return undefined;
    return usd + worst.usd > maxUsd ? 'max_usd' : undefined;
  }

  #hold(model: ModelData, worst: Amount): Reservation {
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

  get #outermost(): Account {
    return this.#whole === undefined ? this : this.#whole.#outermost;
  }

  #released(signal: AbortSignal): Promise<void> {
    const waiting = this.#outermost.#waiting;
    return new Promise((resolve) => {
      const done = () => {
        waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
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

function add(a: Amount, b: Amount): Amount {
  return { usd: a.usd + b.usd, tokens: a.tokens + b.tokens };
}

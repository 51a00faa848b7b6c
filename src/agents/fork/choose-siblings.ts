/**
 * Decides what forks of one reply see of each other: all calls of the reply, or each only its own. With `all`, the
 * shared part is paid for once and read by the others, which wait for it; with `own`, each pays for a small part and
 * none waits. Pure.
 */

import type { ModelData, Prices } from '../../model/models.js';
import type { CacheLifetime } from '../../model/request.js';
import type { Siblings } from '../../protocol/events.js';

export type SiblingsSetting = Siblings | 'auto';

/** The sizes of a reply that starts forks, in tokens. */
export type ReplySizes = {
  /** Cached for the parent, and read by each fork. */
  readonly cached: number;
  /** The part before the calls. */
  readonly before: number;
  /** The whole reply and a placeholder for each call: the shared part with `all`. */
  readonly whole: number;
  /** For each fork: its own call and its placeholder. */
  readonly calls: readonly number[];
  /** All directives together. */
  readonly directives: number;
  /** Thinking is never edited, so nothing before it can be left out. */
  readonly thinksAfterCall: boolean;
};

type Pricing = { readonly model: Pick<ModelData, 'cacheMinimum' | 'prices'>; readonly lifetime: CacheLifetime };

/** If the costs differ by less, the faster start wins. */
const NEARLY = 1.05;

export function chooseSiblings(setting: SiblingsSetting, sizes: ReplySizes, pricing: Pricing): Siblings {
  if (sizes.thinksAfterCall) return 'all';
  if (setting !== 'auto') return setting;
  const { all, own } = siblingCosts(sizes, pricing);
  if (waitsForLeader(sizes, pricing.model)) return own <= all * NEARLY ? 'own' : 'all';
  return own < all ? 'own' : 'all';
}

/** With `all`, siblings wait for the first of them if what they share is large enough to be cached. */
export function waitsForLeader({ whole, calls }: ReplySizes, { cacheMinimum }: Pricing['model']): boolean {
  return calls.length > 1 && whole >= cacheMinimum;
}

/** The input cost of the first requests of all forks, in dollars; relative for a model without a price. */
export function siblingCosts(sizes: ReplySizes, { model, lifetime }: Pricing): { readonly [S in Siblings]: number } {
  const { cached, before, whole, calls, directives } = sizes;
  const { cacheRead, cacheWrite5m, cacheWrite1h } = model.prices ?? USUAL;
  const write = lifetime === '1h' ? cacheWrite1h : cacheWrite5m;
  const forks = calls.length;
  const ofCalls = calls.reduce((sum, tokens) => sum + tokens, 0);
  const inBoth = forks * cached * cacheRead + directives * write;
  const shared = waitsForLeader(sizes, model) ? write + (forks - 1) * cacheRead : forks * write;
  return {
    all: (inBoth + whole * shared) / MILLION,
    own: (inBoth + (forks * before + ofCalls) * write) / MILLION,
  };
}

const MILLION = 1_000_000;
/** Relative to the input price. */
const USUAL: Omit<Prices, 'input' | 'output'> = { cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 };

/**
 * What forks of one reply see of each other: all its calls, or each its own alone. With `all`, the part they share is
 * paid once and read by the others, who wait for it; with `own`, each pays for a small part and nobody waits. Pure.
 */

import type { ModelData, Prices } from '../../model/models.js';
import type { CacheLifetime } from '../../model/request.js';
import type { Siblings } from '../../protocol/events.js';

export type SiblingsSetting = Siblings | 'auto';

/** Of a reply that asks for forks, in tokens. */
export type ReplySizes = {
  /** What its sender has in the cache: each fork reads it. */
  readonly cached: number;
  /** What precedes the calls. */
  readonly before: number;
  /** The whole reply, and a placeholder for each call: what all share with `all`. */
  readonly whole: number;
  /** For each fork: its own call and the placeholder for it. */
  readonly calls: readonly number[];
  /** All directives together. */
  readonly directives: number;
  /** Thinking is never edited, so nothing can be left out before it. */
  readonly thinksAfterCall: boolean;
};

type Pricing = { readonly model: Pick<ModelData, 'cacheMinimum' | 'prices'>; readonly lifetime: CacheLifetime };

/** Where the costs differ by less, what starts sooner is taken. */
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

/** The input of the first requests of all forks. In dollars; for a model without a price, in proportion. */
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
/** Of the input price. */
const USUAL: Omit<Prices, 'input' | 'output'> = { cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 };

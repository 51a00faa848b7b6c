/** Describes the usage and cost of a session so far. */

import type { ModelOverrides } from '../../../model/models.js';
import { exactMoney, percent, plural, wholeCount } from '../../../protocol/format-numbers.js';
import { inputTokens } from '../../../protocol/usage.js';
import { type Totals, totalCost, totalUsage } from '../session-view.js';

export function describeCost(totals: Totals, models: ModelOverrides): string {
  const usage = totalUsage(totals);
  const input = inputTokens(usage);
  const tokens = describeTokens(input, usage.output, input === 0 ? undefined : usage.cacheRead / input);
  return `${exactMoney(totalCost(totals, models))} · ${plural(totals.turns, 'turn')} · ${tokens}`;
}

/** `cached`: the share of the input that was read from the cache. */
export function describeTokens(input: number, output: number, cached: number | undefined): string {
  const share = cached === undefined ? '' : ` (${percent(cached)} from cache)`;
  return `${wholeCount(input)} tokens in${share}, ${wholeCount(output)} out`;
}

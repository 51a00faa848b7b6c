/** Describes the cost of a session so far. */

import type { ModelOverrides } from '../../../model/models.js';
import { inputTokens } from '../../../protocol/usage.js';
import { type Totals, totalCost, totalUsage } from '../session-view.js';

export function describeCost(totals: Totals, models: ModelOverrides): string {
  const usage = totalUsage(totals);
  const input = inputTokens(usage);
  const cached = input === 0 ? 0 : Math.round((usage.cacheRead / input) * 100);
  const money = `$${totalCost(totals, models).toFixed(4)}`;
  return `${money} · ${totals.turns} turns · ${input} tokens in (${cached} % from cache), ${usage.output} out`;
}

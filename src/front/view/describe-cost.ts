/** What a session came to so far, in words. */

import type { ModelOverrides } from '../../model/models.js';
import { inputTokens } from '../../protocol/usage.js';
import type { Tally } from './tally.js';

export function describeCost(tally: Tally, models: ModelOverrides): string {
  const { usage } = tally;
  const input = inputTokens(usage);
  const cached = input === 0 ? 0 : Math.round((usage.cacheRead / input) * 100);
  const money = `$${tally.cost(models).toFixed(4)}`;
  return `${money} · ${tally.turns} turns · ${input} tokens in (${cached} % from cache), ${usage.output} out`;
}

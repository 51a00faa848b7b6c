/** The budget of an agent: part of its parent's, minus what the agent has already spent. */

import { type Budget, childBudget } from '../loop/budget.js';
import { costOf, type ModelData } from '../model/models.js';
import type { Usage } from '../protocol/usage.js';

export function remainingBudget(above: Budget, maxUsd: number | undefined, spent: Usage, model: ModelData): Budget {
  const left = maxUsd === undefined ? undefined : Math.max(0, maxUsd - (costOf(spent, model) ?? 0));
  return childBudget(above, left);
}

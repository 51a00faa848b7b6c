/** The budget of an agent: a part of the one above it, minus what the agent has spent already. */

import { type Budget, childBudget } from '../loop/budget.js';
import { costOf, type ModelData } from '../model/models.js';
import type { Usage } from '../protocol/usage.js';

export function budgetBelow(above: Budget, maxUsd: number | undefined, spent: Usage, model: ModelData): Budget {
  const left = maxUsd === undefined ? undefined : Math.max(0, maxUsd - (costOf(spent, model) ?? 0));
  return childBudget(above, left);
}

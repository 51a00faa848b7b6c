/** The account of an agent: a part of the one above it, minus what the agent has spent already. */

import { type Account, childAccount } from '../loop/account.js';
import { costOf, type ModelData } from '../model/models.js';
import type { Usage } from '../protocol/usage.js';

export function accountBelow(above: Account, maxUsd: number | undefined, spent: Usage, model: ModelData): Account {
  const left = maxUsd === undefined ? undefined : Math.max(0, maxUsd - (costOf(spent, model) ?? 0));
  return childAccount(above, left);
}

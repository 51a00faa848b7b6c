/** How many characters the lists of agents and of skills may take in the prefix (EX-10). */

import { settingOf } from '../../config/settings/settings-table.js';
import { listingBudget } from '../../context/skills/listing.js';
import { modelData, resolveModel } from '../../model/models.js';
import type { SessionConfig } from './session-config.js';

/** Shares of the context window. Of a very large one, agents take no more than this unless a setting says so. */
const AGENTS = 0.02;
const MOST_FOR_AGENTS = 20_000;

export function listingBudgets({ host, model, models, settings: { settings } }: SessionConfig) {
  const { context: contextTokens } = modelData(resolveModel(model, models), models);
  return {
    agents:
      settings.agentListingBudgetFraction === undefined
        ? Math.min(MOST_FOR_AGENTS, listingBudget({ contextTokens, fraction: AGENTS }))
        : listingBudget({ contextTokens, fraction: settings.agentListingBudgetFraction }),
    skills: listingBudget({
      contextTokens,
      fraction: settingOf(settings, 'skillListingBudgetFraction'),
      env: host.env.SLASH_COMMAND_TOOL_CHAR_BUDGET,
    }),
  };
}

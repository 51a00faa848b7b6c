/** The list of skills that a model sees: all names, and as many descriptions as the budget allows (EX-10). */

import type { SessionSkills } from '../../agents/skills/session-skills.js';
import { settingOf } from '../../config/settings/settings-table.js';
import { fitListing, listingBudget } from '../../context/skills/listing.js';
import type { Host } from '../../host/host.js';
import { modelData, resolveModel } from '../../model/models.js';
import type { SessionConfig } from '../build/session-config.js';

export type SkillListing = { readonly lines: readonly string[]; readonly cut: number };

/** `most`: characters. Decided once, when the session starts. */
export async function listForModel(host: Host, skills: SessionSkills, most: number): Promise<SkillListing> {
  const listed = skills.listed();
  if (listed.length === 0) return { lines: [], cut: 0 };
  const { readSkillUsage } = await import('../../config/skills/skill-usage.js');
  const used = await readSkillUsage(host);
  const entries = listed.map(({ skill: { name, description, whenToUse }, nameOnly }) => ({
    name,
    description: whenToUse === undefined ? description : `${description} ${whenToUse}`,
    rank: used.get(name) ?? 0,
    ...(nameOnly ? { nameOnly } : {}),
  }));
  return fitListing(entries, most);
}

/** Shares of the context window. In a very large one, agents take no more than this unless a setting allows it. */
const AGENTS = 0.02;

const MOST_FOR_AGENTS = 20_000;

/** How many characters the lists of agents and skills may take in the prefix (EX-10). */
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

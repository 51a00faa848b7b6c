/** The list of skills that a model sees: all names, and as many descriptions as the budget has room for (EX-10). */

import type { SessionSkills } from '../../agents/skills/session-skills.js';
import { fitListing } from '../../context/skills/listing.js';
import type { Host } from '../../host/host.js';

export type SkillListing = { readonly lines: readonly string[]; readonly cut: number };

/** `most`: characters. Decided once, when the session begins. */
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

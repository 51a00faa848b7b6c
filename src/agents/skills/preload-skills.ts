/** The skills listed in a definition's `skills:`, as texts that an agent starts with (EX-2, EX-11). */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import type { SkillTexts } from './load-skill-texts.js';

const NONE: SkillTexts = { blocks: [], announcements: {}, lines: [] };

/** Loads nothing for agents without skills. */
export async function preloadSkills(
  runtime: Runtime,
  agent: LiveAgent,
  definition: AgentDefinition | undefined,
): Promise<SkillTexts> {
  if (definition === undefined || definition.skills.length === 0) return NONE;
  const { loadSkillTexts } = await import('./load-skill-texts.js');
  return loadSkillTexts(runtime, agent, definition);
}

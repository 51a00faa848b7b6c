/** The skills that a definition names in `skills:`, as texts an agent starts with (EX-2, EX-11). */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import type { SkillTexts } from './load-skill-texts.js';

const NONE: SkillTexts = { blocks: [], tells: {}, lines: [] };

/** Nothing of it is loaded for agents without skills. */
export async function preloadSkills(
  runtime: Runtime,
  agent: LiveAgent,
  definition: AgentDefinition | undefined,
): Promise<SkillTexts> {
  if (definition === undefined || definition.skills.length === 0) return NONE;
  const { loadSkillTexts } = await import('./load-skill-texts.js');
  return loadSkillTexts(runtime, agent, definition);
}

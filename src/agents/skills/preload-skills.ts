/** The skills that a definition names in `skills:`, as texts an agent starts with (EX-2, EX-11). */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { TextBlock } from '../../protocol/blocks.js';
import type { Tells } from '../../protocol/events.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';

export type Preloaded = {
  readonly blocks: readonly TextBlock[];
  readonly tells: Tells;
  /** What could not be loaded, for the person. */
  readonly lines: readonly string[];
};

const NONE: Preloaded = { blocks: [], tells: {}, lines: [] };

/** Nothing of it is loaded for agents without skills. */
export async function preloadSkills(
  runtime: Runtime,
  agent: LiveAgent,
  definition: AgentDefinition | undefined,
): Promise<Preloaded> {
  if (definition === undefined || definition.skills.length === 0) return NONE;
  const { loadSkillTexts } = await import('./load-skill-texts.js');
  return loadSkillTexts(runtime, agent, definition);
}

/** The skills that a definition names in `skills:`, as texts an agent starts with (EX-2, EX-11). */

import { createHash } from 'node:crypto';
import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { Skill } from '../../config/skills/skill.js';
import { type TextBlock, text } from '../../protocol/blocks.js';
import type { Tells } from '../../protocol/events.js';
import { skillReminder } from '../../protocol/tags.js';
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
  const { renderSkill } = await import('../../context/skills/render-skill.js');
  const { skillVariables, withPlace } = await import('./make-skill-text.js');
  const found = definition.skills.map((name) => ({ name, skill: runtime.skills.find(name) }));
  const texts = found.flatMap(({ skill }) => {
    if (skill === undefined || !skill.modelInvocable) return [];
    const variables = skillVariables(runtime, agent, skill);
    const parts = renderSkill(skill.prompt, { args: '', argumentNames: skill.argumentNames, variables });
    const words = parts.map((part) => (part.kind === 'text' ? part.text : notRun(part.command))).join('');
    return [{ name: skill.name, words: withPlace(skill, words.trim()) }];
  });
  return {
    blocks: texts.map(({ name, words }) => text(skillReminder(name, words))),
    tells: Object.fromEntries(texts.map(({ name, words }) => [`skill ${name}`, hashOf(words)])),
    lines: found.flatMap(({ name, skill }) => {
      const why = whyNot(runtime, name, skill);
      return why === undefined
        ? []
        : [`${definition.source.file}: the skill ${name} of ${definition.name} is not loaded: ${why}`];
    }),
  };
}

/** Nobody asked for its effects: an agent that needs them takes the skill up itself. */
function notRun(command: string): string {
  return `[not run when an agent starts: ${command}]`;
}

function whyNot({ skills }: Runtime, name: string, skill: Skill | undefined): string | undefined {
  if (skill === undefined) return skills.whyNone(name);
  return skill.modelInvocable ? undefined : 'only the person may use it';
}

function hashOf(words: string): string {
  return createHash('sha256').update(words).digest('hex');
}

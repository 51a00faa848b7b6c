/** Builds the skill texts for an agent's start. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { Skill } from '../../config/skills/skill.js';
import { renderSkill } from '../../context/skills/render-skill.js';
import { type TextBlock, text } from '../../protocol/blocks.js';
import type { Announcements } from '../../protocol/events.js';
import { skillReminder } from '../../protocol/tags.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import { announceSkillText, skillVariables, withFolder } from './make-skill-text.js';
import { explainNoSkill } from './session-skills.js';

export type SkillTexts = {
  readonly blocks: readonly TextBlock[];
  readonly announcements: Announcements;
  /** Messages for the user about skills that could not be loaded. */
  readonly lines: readonly string[];
};

export function loadSkillTexts(runtime: Runtime, agent: LiveAgent, definition: AgentDefinition): SkillTexts {
  const found = definition.skills.map((name) => ({ name, skill: runtime.skills.find(name) }));
  const texts = found.flatMap(({ skill }) => {
    if (skill === undefined || !skill.modelInvocable) return [];
    const variables = skillVariables(runtime, agent, skill);
    const parts = renderSkill(skill.prompt, { args: '', argumentNames: skill.argumentNames, variables });
    const content = parts.map((part) => (part.kind === 'text' ? part.text : notRun(part.command))).join('');
    return [{ name: skill.name, words: withFolder(skill, content.trim()) }];
  });
  return {
    blocks: texts.map(({ name, words }) => text(skillReminder(name, words))),
    announcements: Object.assign({}, ...texts.map(({ name, words }) => announceSkillText(name, words))),
    lines: found.flatMap(({ name, skill }) => {
      const why = whyNot(runtime, name, skill);
      const { file } = definition.source;
      return why === undefined ? [] : [`${file}: the skill ${name} of ${definition.name} is not loaded: ${why}`];
    }),
  };
}

/** The agent did not ask for its effects: one that needs them loads the skill itself. */
function notRun(command: string): string {
  return `[not run when an agent starts: ${command}]`;
}

function whyNot({ skills }: Runtime, name: string, skill: Skill | undefined): string | undefined {
  if (skill === undefined) return explainNoSkill(skills, name);
  return skill.modelInvocable ? undefined : 'only the person may use it';
}

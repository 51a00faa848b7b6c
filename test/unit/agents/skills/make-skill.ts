/** A skill for tests, with what most of them have. */

import type { Skill } from '../../../../src/config/skills/skill.js';

export function makeSkill(name: string, more: Partial<Skill> = {}): Skill {
  const folder = `/project/.claude/skills/${name}`;
  return {
    name,
    kind: 'skill',
    description: `what ${name} is for`,
    argumentNames: [],
    modelInvocable: true,
    userInvocable: true,
    allowedTools: [],
    disallowedTools: [],
    background: false,
    paths: [],
    prompt: 'Text.',
    folder,
    source: { scope: 'project', file: `${folder}/SKILL.md`, trusted: true },
    ...more,
  };
}

/** Limits a session to some skills: the others are neither listed, nor used, nor typed. */

import type { SessionSkills } from '../../agents/skills/session-skills.js';
import type { Skill } from '../../config/skills/skill.js';
import { escapeToLine } from '../../protocol/escape-controls.js';

/** `names`: as skills are found by, so `b` also matches a plugin's `p:b`. Commands can still be typed. */
export function onlySkills(skills: SessionSkills, names: readonly string[]): SessionSkills {
  const isChosen = (skill: Skill) => names.some((name) => skill.name === name || skill.name.endsWith(`:${name}`));
  const limit = (skill: Skill): readonly Skill[] => {
    if (isChosen(skill)) return [skill];
    return skill.kind === 'command' ? [{ ...skill, modelInvocable: false }] : [];
  };
  const find = (name: string) => [skills.find(name)].flatMap((skill) => (skill ? limit(skill) : []))[0];
  return {
    list: () => skills.list().flatMap(limit),
    find,
    listed: () => skills.listed().filter(({ skill }) => isChosen(skill)),
    refusal: (name) =>
      skills.find(name) === undefined ? skills.refusal(name) : `This session was opened without the skill "${name}".`,
    touched: async (file) => (await skills.touched(file)).filter(isChosen),
  };
}

/** A warning about names without a skill. Undefined if each has one. */
export function describeAbsentSkills(skills: SessionSkills, names: readonly string[]): string | undefined {
  const absent = names.filter((name) => skills.find(name) === undefined);
  if (absent.length === 0) return undefined;
  const which = absent.map((name) => JSON.stringify(name)).join(', ');
  return escapeToLine(`unknown skills were requested for this session: ${which}`);
}

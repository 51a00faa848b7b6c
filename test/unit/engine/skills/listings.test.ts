/** The skills of a session as lists: for the model, within a budget, and for clients. */

import { mkdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { SessionSkills } from '../../../../src/agents/skills/session-skills.js';
import type { Skill } from '../../../../src/config/skills/skill.js';
import { noteSkillUse } from '../../../../src/config/skills/skill-usage.js';
import { listForModel } from '../../../../src/engine/skills/model-listings.js';
import { reportSkills } from '../../../../src/engine/skills/report-skills.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { scratchFolder } from '../../../support/scratch.js';
import { makeSkill } from '../../agents/skills/make-skill.js';

const skillsOf = (skills: readonly Skill[], nameOnly: readonly string[] = []) =>
  ({
    list: () => skills,
    listed: () => skills.map((skill) => ({ skill, nameOnly: nameOnly.includes(skill.name) })),
  }) as Pick<SessionSkills, 'list' | 'listed'> as SessionSkills;

async function makeHost() {
  const home = await scratchFolder();
  await mkdir(`${home}/.coppice`, { mode: 0o700 });
  return nodeHost(home, { HOME: home, COPPICE_HOME: `${home}/.coppice` });
}

it('EX-10: by name, with when to use it; name-only stands without', async () => {
  const skills = skillsOf(
    [makeSkill('b', { whenToUse: 'Use it late.' }), makeSkill('a'), makeSkill('c', { description: 'secret' })],
    ['c'],
  );
  expect(await listForModel(await makeHost(), skills, 1_000)).toEqual({
    lines: ['- a: what a is for', '- b: what b is for Use it late.', '- c'],
    cut: 0,
  });
  expect(await listForModel(await makeHost(), skillsOf([]), 0)).toEqual({ lines: [], cut: 0 });
});

it('EX-10: over the budget the used one keeps its description', async () => {
  const host = await makeHost();
  const skills = skillsOf([makeSkill('a'), makeSkill('b'), makeSkill('z')]);
  expect((await listForModel(host, skills, 30)).lines).toEqual(['- a: what a is for', '- b', '- z']);
  await noteSkillUse(host, 'z');
  expect(await listForModel(host, skills, 30)).toEqual({ lines: ['- a', '- b', '- z: what z is for'], cut: 2 });
});

it('EX-11: clients get all of them by name, with who may use each', () => {
  const skills = skillsOf([
    makeSkill('b', { modelInvocable: false, argumentHint: '[env]' }),
    makeSkill('a', { userInvocable: false, kind: 'command' }),
  ]);
  expect(reportSkills(skills)).toEqual([
    {
      name: 'a',
      kind: 'command',
      description: 'what a is for',
      scope: 'project',
      file: '/project/.claude/skills/a/SKILL.md',
      forPerson: false,
      forModel: true,
    },
    {
      name: 'b',
      kind: 'skill',
      description: 'what b is for',
      argumentHint: '[env]',
      scope: 'project',
      file: '/project/.claude/skills/b/SKILL.md',
      forPerson: true,
      forModel: false,
    },
  ]);
});

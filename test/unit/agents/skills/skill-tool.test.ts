/** How the Skill tool describes and declares itself. */

import { expect, it } from 'vitest';
import type { Runtime } from '../../../../src/agents/runtime.js';
import { createSkillTool, describeSkillTool } from '../../../../src/agents/skills/skill-tool.js';
import { makeSkill } from './make-skill.js';

it('EX-10: a cut list is noted, even by one; an empty list notes that others may come', () => {
  expect(describeSkillTool([], 0)).toMatch(/\n\nThere are none yet; a reminder names those that come\.$/);
  expect(describeSkillTool(['- a: b'], 0)).toMatch(/\n\nSkills:\n- a: b$/);
  expect(describeSkillTool(['- a'], 1)).toMatch(/\n- a\n\(1 stand without description: SearchListing shows it\.\)$/);
});

it('EX-11: it declares the name that rules are about, however it was written', () => {
  const found = makeSkill('git:review');
  const skills = { find: (name: string) => (name === 'review' || name === 'git:review' ? found : undefined) };
  const tool = createSkillTool(() => ({ skills }) as unknown as Runtime, 'd');
  const declare = (skill: string) => tool.declare({ skill }, { cwd: '/' } as never);
  for (const written of ['review', '/review', ' git:review '])
    expect(declare(written)).toEqual([{ kind: 'skill', name: 'git:review' }]);
  expect(declare('/nothing')).toEqual([{ kind: 'skill', name: 'nothing' }]);
  expect(tool.parse({ skill: '' }).ok).toBe(false);
  expect([tool.concurrent, tool.mayStartChild, tool.maxResultChars]).toEqual([false, true, Number.POSITIVE_INFINITY]);
});

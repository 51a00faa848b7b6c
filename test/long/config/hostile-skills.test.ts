/** Folders that somebody filled on purpose: nothing waits, grows or is lost with them (EX-2, EX-3). */

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadSkills } from '../../../src/config/skills/load-skills.js';
import { setSkillsStage } from '../../unit/config/skills/skills-stage.js';

it('EX-2: a folder of very many names is skipped with one line, and the others are loaded', async () => {
  const stage = setSkillsStage();
  stage.skill('project/.claude', 'good');
  const many = join(stage.project, '.claude', 'skills', 'many');
  mkdirSync(many);
  execFileSync('/bin/sh', ['-c', 'seq 1 10001 | xargs touch'], { cwd: many });
  const { skills, problems } = await loadSkills(stage.question());
  expect([...skills.keys()]).toEqual(['good']);
  expect(problems).toMatchObject([
    { file: many, message: expect.stringMatching(/^skipped: it has more than \d+ entries$/) },
  ]);
});

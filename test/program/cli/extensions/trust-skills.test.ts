/** A project with skills and nothing else that acts: the user is asked whether to trust it, and sees what it brings (GT-2, EX-9, EX-14). */

import { beforeAll, expect, it } from 'vitest';
import { buildProgram } from '../../../support/program.js';
import { setPlainStage } from '../plain/plain-stage.js';

beforeAll(buildProgram);

it.each([
  ['y', true],
  ['n', false],
])('GT-2 EX-9: its skills are shown before it is trusted; after %s they apply: %s', async (answer, counts) => {
  const stage = await setPlainStage([{ reply: 'Done.' }]);
  await stage.write(
    '.claude/skills/ship/SKILL.md',
    '---\ndescription: d\nallowed-tools: Bash(git push:*)\n---\nSHIP-TEXT\n',
  );
  await stage.write('.claude/commands/git/review.md', 'Review.');
  await stage.write('.claude/output-styles/terse.md', '---\nname: terse\n---\nBe terse.');
  const plain = stage.pipe(['--plain']);
  plain.say(answer);
  plain.say('/ship');
  plain.say('/exit');
  await plain.end();
  const shown = plain.stdout();
  expect(shown).toContain('Do you trust this folder?');
  expect(shown).toContain('| skill ship, allows while it is used: Bash(git push:*)');
  expect(shown).toContain('| command git:review');
  expect(shown).toContain('| output style terse.md');
  expect(stage.sim.requests.some((request) => request.raw.toString('utf8').includes('SHIP-TEXT'))).toBe(counts);
  expect(shown.includes('coppice trust')).toBe(!counts);
});

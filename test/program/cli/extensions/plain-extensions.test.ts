/** Skills, commands and plugins as a user meets them in a line-based session (EX-3, EX-14, EX-19). */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram } from '../../../support/program.js';
import { setPlainStage } from '../plain/plain-stage.js';

const SKILL = '---\ndescription: Ships it\nallowed-tools: Bash(touch *) Bash(ls *)\n---\nShip it.\n';

it('EX-14: what a skill is granted is on separate lines, and the answers show how long they hold', async () => {
  const stage = await setPlainStage([
    { when: { result: { tool: 'Skill' } }, reply: 'Done.' },
    { when: { user: 'ship' }, reply: [{ tool: 'Skill', input: { skill: 'ship' } }] },
  ]);
  await stage.write('.claude/skills/ship/SKILL.md', SKILL);
  await runProgram(['trust'], stage.at);
  const plain = stage.pipe();
  for (const line of ['please ship', 'r', 'y']) plain.say(line);
  expect(await plain.end()).toBe(0);
  expect(plain.stdout()).toMatch(
    /^Skill ship \(\S+\/\.claude\/skills\/ship\/SKILL\.md\) requests, while it is in use:\n {2}\| without asking: Bash\(touch \*\), Bash\(ls \*\)\n {2}y {2}yes, and in later sessions, until the skill changes\n {2}n {2}no, use the skill without them\n/m,
  );
  expect(plain.stdout()).toContain('That is not one of the choices.');
  expect(plain.stdout()).not.toContain('yes, once');
});

it('EX-3: a slash alone lists the commands and sends nothing; nor does a command that is not there', async () => {
  const stage = await setPlainStage([{ reply: 'Never.' }]);
  await stage.write('.claude/skills/ship/SKILL.md', SKILL);
  await runProgram(['trust'], stage.at);
  const plain = stage.pipe();
  for (const line of ['/', '/shop it']) plain.say(line);
  expect(await plain.end()).toBe(0);
  expect(plain.stdout()).toContain('/skills ');
  expect(plain.stdout()).toContain('Skills and commands: /ship\n');
  expect(plain.stdout()).toContain('! Unknown command /shop. Did you mean /ship?');
  expect(stage.sim.requests).toHaveLength(0);
});

it('EX-19: the line that shows how to approve a plugin of --plugin-dir works as printed', async () => {
  const stage = await setPlainStage([]);
  await mkdir(join(stage.folder, 'p', 'bin'), { recursive: true });
  await stage.write('p/bin/tool', '#!/bin/sh\n');
  const list = await runProgram(['plugins', 'list', '--plugin-dir', 'p'], stage.at);
  const [, args = ''] = /run coppice (plugins approve .*)$/m.exec(list.stdout) ?? [];
  const approved = await runProgram(args.split(' '), stage.at);
  expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining('Approved as shown: p.') });
});

it('GT-2 EX-9: a folder with skills, commands or styles asks whether to trust it, and names them; then they apply', async () => {
  const stage = await setPlainStage([{ when: { user: 'Ship it.' }, reply: 'Shipped.' }]);
  await stage.write('.claude/skills/ship/SKILL.md', SKILL);
  await stage.write('.claude/skills/ship/reference.md', 'More.');
  await stage.write('.claude/commands/git/review.md', 'Review it.');
  await stage.write('.claude/output-styles/brief.md', 'Be brief.');
  const plain = stage.pipe();
  for (const line of ['y', '/ship']) plain.say(line);
  expect(await plain.end()).toBe(0);
  const [question = ''] = plain.stdout().split('Shipped.');
  for (const named of ['skill ship', 'command git:review\n', 'output style brief.md\n'])
    expect(question).toContain(named);
  expect(question).not.toContain('reference.md');
  expect(plain.stdout()).toContain('Shipped.');
});

/** Skills and commands in a line-based session: listed, typed, unknown (EX-3, EX-9, EX-11). */

import { describe, expect, it } from 'vitest';
import { isCommand } from '../../../../src/front/commands/is-command.js';
import type { Rule } from '../../../../src/sim/index.js';
import { type PlainStage, setPlainStage } from '../plain/plain-stage.js';

const ECHO: Rule[] = [{ when: { said: 'DEPLOY to prod' }, reply: 'Deployed.' }, { reply: 'Heard.' }];

async function setSkills(): Promise<PlainStage> {
  const stage = await setPlainStage(ECHO);
  const write = (name: string, fields: string, text = 'Text.') =>
    stage.write(`.claude/skills/${name}/SKILL.md`, `---\n${fields}\n---\n${text}\n`);
  await write('deploy', 'description: Ships it\nargument-hint: "[env]"', 'DEPLOY to $1');
  await write('inner', 'description: For the model\nuser-invocable: false');
  await write('mine', `description: "${'long '.repeat(30).trim()}"\ndisable-model-invocation: true`);
  await stage.write('.claude/commands/git/review.md', '---\ndescription: "Red \\e[31m"\n---\nReview.\n');
  return stage;
}

async function run(stage: PlainStage, lines: readonly string[], args = ['--plain', '--trust']) {
  const plain = stage.pipe(args);
  for (const line of lines) plain.say(line);
  expect(await plain.end(), plain.stderr()).toBe(0);
  return plain.stdout();
}

describe('EX-11: /skills and /help', () => {
  it('EX-11: each with how it is typed, what it is, where it is from and who may use it', async () => {
    const stage = await setSkills();
    const shown = await run(stage, ['/skills']);
    expect(shown).toContain('  /deploy [env]  (skill, project)  Ships it\n');
    expect(shown).toContain('  inner  (skill, project, only the model)  For the model\n');
    expect(shown).toContain(`  /mine  (skill, project, only you)  ${'long '.repeat(20)}…\n`);
    expect(shown).toMatch(/ {2}\/git:review {2}\(command, project\) {2}Red \S*\[31m\n/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it must not be there.
    expect(shown).not.toMatch(/\u001b/);
    expect(stage.sim.requests).toHaveLength(0);
  });

  it('EX-11: /help names those that can be typed, twenty of them', async () => {
    const stage = await setSkills();
    expect(await run(stage, ['/help'])).toContain('\nSkills and commands: /deploy, /git:review, /mine\n');
    for (let n = 10; n < 27; n += 1) await stage.write(`.claude/commands/do-${n}.md`, 'Do.');
    expect(await run(stage, ['/help'])).toMatch(/\/do-26, \/git:review, \/mine\n/);
    await stage.write('.claude/commands/zz.md', 'Do.');
    expect(await run(stage, ['/help'])).toMatch(/\/git:review, \/mine and 1 more \(\/skills lists them\)\n/);
  });

  it('EX-2: without any, /skills shows where one goes, and /help does not speak of them', async () => {
    const stage = await setPlainStage(ECHO);
    const shown = await run(stage, ['/skills', '/help']);
    expect(shown).toContain(
      'No skills or commands. Create a skill as .claude/skills/NAME/SKILL.md, a command as .claude/commands/NAME.md.\n',
    );
    expect(shown).not.toContain('Skills and commands:');
  });
});

describe('EX-3: what is typed', () => {
  it('EX-3: a skill with its arguments; a sentence about a folder is a prompt', async () => {
    const stage = await setSkills();
    const shown = await run(stage, ['/deploy prod', '/tmp is full']);
    expect(shown).toMatch(/Deployed\.\n[\s\S]*Deployed\.\n/);
    expect(stage.sim.requests).toHaveLength(2);
    expect(stage.sim.requests[1]?.raw.toString('utf8')).toContain('"text":"/tmp is full"');
  });

  it('EX-3 EX-11: an unknown one has the nearest, one of the model’s own is refused, and neither is sent', async () => {
    const stage = await setSkills();
    const shown = await run(stage, ['/deplyo prod', '/hepl', '/inner']);
    expect(shown).toContain('Unknown command /deplyo. Did you mean /deploy?');
    expect(shown).toContain('Unknown command /hepl. Did you mean /help');
    expect(shown).toContain("/inner can't be typed: it is for the model alone.");
    expect(stage.sim.requests).toHaveLength(0);
  });

  it('EX-9: without trust, this is reported, and nothing is sent', async () => {
    const stage = await setSkills();
    const shown = await run(stage, ['n', '/deploy prod'], ['--plain']);
    expect(shown).toContain('`coppice trust` trusts it');
    expect(stage.sim.requests).toHaveLength(0);
  });
});

it.each([
  ['/help', true],
  ['  /help me', true],
  ['/?', true],
  ['/deploy prod', false],
  ['/tmp is full', false],
  ['/help/me', false],
  ['/helper', false],
  ['help', false],
  ['/', true],
])('EX-9: %j is a command of ours: %s', (line, expected) => {
  expect(isCommand(line)).toBe(expected);
});

/** Skills at every stage: interrupted, at once, in plan mode, in forks, on a full disk, over a resume. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SimRequest } from '../../../src/sim/index.js';
import { gate } from '../../support/gate.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

const rawOf = (request: SimRequest | undefined) => request?.raw.toString('utf8') ?? '';
const prefixOf = (request: SimRequest | undefined) => rawOf(request).split('"messages":')[0] ?? '';
const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const use = (skill: string) => ({ tool: 'Skill', input: { skill } });
const write = (stage: Stage, name: string, fields: string, body: string) =>
  stage.write(`.claude/skills/${name}/SKILL.md`, `---\ndescription: d\n${fields}---\n${body}\n`);
const isThere = (stage: Stage, name: string) =>
  stage.read(name).then(
    () => true,
    () => false,
  );

describe('EX-4: a skill in plan mode', () => {
  it('EX-4 EX-14: neither its rules nor its shell lines change anything, typed or by the model', async () => {
    for (const prompt of ['/make', 'go']) {
      const stage = await setStage([
        { when: { user: 'go', nth: 1 }, reply: [use('make')] },
        {
          when: { where: ({ body }) => !JSON.stringify(body.messages).includes('made-too') },
          reply: [bash('touch made'), { tool: 'Write', input: { file_path: 'made-too', content: 'x' } }],
        },
        { reply: 'done' },
      ]);
      await write(stage, 'make', 'allowed-tools: Bash, Write\n', 'Make it.');
      await write(stage, 'run', 'allowed-tools: Bash, Write\n', 'Make it.\n\n!`touch ran`');
      const onPermission = async () => ({ behavior: 'allow' }) as const;
      const session = await stage.open({ trust: true, permissionMode: 'plan', onPermission });
      await session.send(prompt);
      expect(await session.send('/run')).toMatchObject({ reason: 'prompt_refused' });
      expect(await Promise.all(['made', 'made-too', 'ran'].map((name) => isThere(stage, name)))).toEqual([
        false,
        false,
        false,
      ]);
    }
  });
});

it('EX-11: a hook that makes another skill of a call comes by no deny rule', async () => {
  const stage = await setStage([{ when: { nth: 1 }, reply: [use('fine')] }, { reply: 'done' }]);
  await write(stage, 'fine', '', 'FINE-TEXT');
  await write(stage, 'bad', '', 'BAD-TEXT');
  await stage.settings({ permissions: { deny: ['Skill(bad)'] } });
  const session = await stage.open({
    trust: true,
    hooks: {
      PreToolUse: [
        {
          matcher: 'Skill',
          hooks: [
            () => ({
              hookSpecificOutput: {
                hookEventName: 'PreToolUse',
                permissionDecision: 'allow',
                updatedInput: { skill: 'bad' },
              },
            }),
          ],
        },
      ],
    },
  });
  await session.send('go');
  expect(await session.send('/fine')).toMatchObject({ reason: 'prompt_refused' });
  expectAllAccepted(stage.sim);
  expect(rawOf(stage.sim.requests.at(-1))).not.toContain('BAD-TEXT');
});

it('EX-8 FK-3: a fork in a turn on another model shares its bytes, and has none of the rules', async () => {
  const stage = await setStage([
    { when: { said: 'FORK-TASK', result: { tool: 'Bash' } }, reply: 'forked' },
    { when: { user: 'FORK-TASK' }, reply: [bash('touch forked')] },
    {
      when: { user: '/quick' },
      reply: [{ tool: 'Agent', input: { prompt: 'FORK-TASK', description: 'd', fork: true } }],
    },
    { reply: 'done' },
  ]);
  await write(stage, 'quick', 'model: haiku\nallowed-tools: Bash(touch:*)\n', 'Be quick.');
  const session = await stage.open({ trust: true, model: 'sonnet', fork: 'on' });
  await session.send('hello');
  await session.send('/quick');
  await session.send('next');
  expectAllAccepted(stage.sim);
  const forks = stage.sim.requests.filter((request) => rawOf(request).includes('FORK-TASK'));
  expect(forks.length, stage.sim.report()).toBeGreaterThan(0);
  expect(eventsOf(stage, 'agent-spawned')).toHaveLength(1);
  const quick = stage.sim.requests[1];
  expect(prefixOf(quick).includes('haiku')).toBe(true);
  expect(prefixOf(stage.sim.requests[2]) === prefixOf(quick)).toBe(true);
  expect(await isThere(stage, 'forked')).toBe(false);
  expect(prefixOf(stage.sim.requests.at(-1)) === prefixOf(stage.sim.requests[0])).toBe(true);
});

describe('EX-13 LC-2: an interruption', () => {
  it('EX-13 LC-2: while a shell line runs: nothing is sent, granted or left', async () => {
    const stage = await setStage([{ when: { user: 'next', nth: 1 }, reply: [bash('touch made')] }, { reply: 'done' }]);
    await write(stage, 'slow', 'allowed-tools: Bash\n', 'Slow.\n\n!`echo $$ > pid; sleep 60`');
    const session = await stage.open({ trust: true });
    const typed = session.send('/slow');
    await until(() => isThere(stage, 'pid'));
    session.interrupt();
    expect(['prompt_refused', 'interrupted']).toContain((await typed).reason);
    expect(stage.sim.requests).toHaveLength(0);
    await session.send('next');
    expectAllAccepted(stage.sim);
    expect(await isThere(stage, 'made')).toBe(false);
  });

  it('EX-2 LC-2: while the child of a typed skill works: it is interrupted, and the next prompt is answered', async () => {
    const held = gate();
    const stage = await setStage([
      {
        when: { said: 'SURVEY-TASK' },
        reply: async () => {
          await held.opened;
          return 'late';
        },
      },
      { reply: 'done' },
    ]);
    await write(stage, 'survey', 'context: fork\n', 'SURVEY-TASK');
    const session = await stage.open({ trust: true });
    const typed = session.send('/survey');
    await until(() => stage.sim.requests.length === 1);
    session.interrupt();
    expect((await typed).reason).not.toBe('completed');
    held.open();
    expect(await session.send('next')).toMatchObject({ reason: 'completed', text: 'done' });
    expect(stage.sim.unmatched).toEqual([]);
  });

  it('EX-13: the session is closed meanwhile: nothing is admitted', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await write(stage, 'slow', 'allowed-tools: Bash\n', 'Slow.\n\n!`echo $$ > pid; sleep 60`');
    const session = await stage.open({ trust: true });
    const typed = session.send('/slow');
    await until(() => isThere(stage, 'pid'));
    await session.close();
    expect((await typed).reason).not.toBe('completed');
    const again = await stage.open({ trust: true, resume: session.id });
    expect(await again.prompts()).toEqual([]);
  });
});

it('EX-14: two typed at once are both answered, each with its rules', async () => {
  const stage = await setStage([
    { when: { user: '/one', nth: 1 }, reply: [bash('touch one')] },
    { when: { user: '/two' }, reply: [bash('touch two')] },
    { reply: 'done' },
  ]);
  await write(stage, 'one', 'allowed-tools: Bash(touch one)\n', 'ONE-TEXT');
  await write(stage, 'two', 'allowed-tools: Bash(touch two), Bash(sleep:*)\n', 'TWO-TEXT\n\n!`sleep 0.5`');
  const session = await stage.open({ trust: true });
  await Promise.all([session.send('/one'), session.send('/two')]);
  expectAllAccepted(stage.sim);
  expect(await isThere(stage, 'one'), stage.sim.report()).toBe(true);
  expect(await isThere(stage, 'two'), stage.sim.report()).toBe(true);
});

it('EX-10 FK-25: a resumed session keeps its list of 200 skills, whatever was used meanwhile', async () => {
  const stage = await setStage([{ when: { user: 'use', nth: 1 }, reply: [use('skill-150')] }, { reply: 'done' }]);
  for (let n = 0; n < 200; n += 1) {
    const file = join(stage.folder, `.claude/skills/skill-${n}/SKILL.md`);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, `---\ndescription: ${`words of ${n} `.repeat(30)}\n---\nDo ${n}.\n`);
  }
  const session = await stage.open({ trust: true });
  await session.send('first');
  const { id } = session;
  await session.close();
  const other = await stage.open({ trust: true });
  await other.send('use');
  await other.send('/skill-199');
  await other.close();
  const again = await stage.open({ trust: true, resume: id });
  await again.send('second');
  await again.send('/skill-42');
  expectAllAccepted(stage.sim);
  const first = prefixOf(stage.sim.requests[0]);
  expect(stage.sim.requests.slice(-2).map((request) => prefixOf(request) === first)).toEqual([true, true]);
  expect(rawOf(stage.sim.requests.at(-1))).not.toContain('The skills for the Skill tool are now');
});

it('EX-14 DU-23: after /clear and a rewind the text is reported in full again, and requests are valid', async () => {
  const stage = await setStage([{ reply: 'done' }]);
  await write(stage, 'one', '', 'ONE-TEXT');
  const session = await stage.open({ trust: true });
  await session.send('hello');
  await session.send('/one');
  const [, second] = await session.prompts();
  await session.execute({ type: 'rewind', to: second?.seq ?? 0, part: 'conversation' });
  await session.send('/one');
  expect(rawOf(stage.sim.requests.at(-1)).split('ONE-TEXT').length - 1, stage.sim.report()).toBe(1);
  await session.execute({ type: 'clear' });
  await session.send('/one');
  expect(rawOf(stage.sim.requests.at(-1)).split('ONE-TEXT').length - 1).toBe(1);
  expectAllAccepted(stage.sim);
});

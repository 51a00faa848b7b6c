/** What a skill changes besides the conversation: rules and model for a turn, hooks, its own child. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PermissionAnswer, PermissionQuestion } from '../../../src/protocol/permission.js';
import type { SimRequest } from '../../../src/sim/index.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';

const said = (request: SimRequest | undefined) =>
  JSON.stringify((JSON.parse(request?.raw.toString('utf8') ?? '{}') as { messages: unknown }).messages);
const modelOf = (request: SimRequest | undefined) =>
  (JSON.parse(request?.raw.toString('utf8') ?? '{}') as { model: string }).model;
const use = (name: string, args?: string) => ({
  tool: 'Skill',
  input: { skill: name, ...(args === undefined ? {} : { args }) },
});
const bash = (command: string) => ({ tool: 'Bash', input: { command } });

const write = (stage: Stage, name: string, fields: string, body: string) =>
  stage.write(`.claude/skills/${name}/SKILL.md`, `---\ndescription: d\n${fields}---\n${body}\n`);

/** Answers every question by what it is about. */
function answering(answer: (question: PermissionQuestion) => PermissionAnswer['behavior']) {
  const asked: PermissionQuestion[] = [];
  const onPermission = async (question: PermissionQuestion): Promise<PermissionAnswer> => {
    asked.push(question);
    const behavior = answer(question);
    return behavior === 'allow' ? { behavior } : { behavior: 'deny' };
  };
  return { asked, onPermission };
}

const isThere = (stage: Stage, name: string) =>
  stage.read(name).then(
    () => true,
    () => false,
  );

describe('EX-14: allowed-tools', () => {
  const grants = 'allowed-tools: Bash(touch:*)\n';

  it('EX-14: typed, they hold for that turn and no longer', async () => {
    const stage = await setStage([
      { when: { user: 'again' }, reply: [bash('touch made-later')] },
      { when: { user: '/make' }, reply: [bash('touch made-now')] },
      { reply: 'done' },
    ]);
    await write(stage, 'make', grants, 'Make it.');
    const session = await stage.open({ trust: true });
    await session.send('/make');
    expect(await isThere(stage, 'made-now'), stage.sim.report()).toBe(true);
    await session.send('again');
    expect(await isThere(stage, 'made-later')).toBe(false);
  });

  it('EX-14: soften no deny and no ask rule', async () => {
    for (const permissions of [{ deny: ['Bash(touch:*)'] }, { ask: ['Bash(touch:*)'] }]) {
      const stage = await setStage([{ when: { nth: 1 }, reply: [bash('touch made-now')] }, { reply: 'done' }]);
      await write(stage, 'make', grants, 'Make it.');
      await stage.settings({ permissions });
      const session = await stage.open({ trust: true });
      await session.send('/make');
      expect(await isThere(stage, 'made-now')).toBe(false);
    }
  });

  it.each(['allow', 'deny'] as const)('EX-14: invoked by the model, one question shows them; %s', async (behavior) => {
    const stage = await setStage([
      { when: { nth: 1 }, reply: [use('make')] },
      { when: { nth: 2 }, reply: [bash('touch made-now')] },
      { when: { nth: 3 }, reply: [use('make')] },
      { reply: 'done' },
    ]);
    await write(stage, 'make', grants, 'Make it.');
    const { asked, onPermission } = answering(({ about }) => (about === 'skill-grants' ? behavior : 'deny'));
    await stage.settings({});
    await trust(stage);
    const session = await stage.open({ onPermission });
    await session.send('go');
    expectAllAccepted(stage.sim);
    const grantsAsked = asked.filter(({ about }) => about === 'skill-grants');
    expect(grantsAsked).toHaveLength(1);
    expect(grantsAsked[0]?.reason).toContain('Bash(touch:*)');
    expect(grantsAsked[0]?.reason).toContain('make/SKILL.md');
    expect(await isThere(stage, 'made-now')).toBe(behavior === 'allow');
  });

  it('EX-14: the answer holds in later sessions, until the file changes', async () => {
    const stage = await setStage([{ when: { user: 'go' }, reply: [use('make')] }, { reply: 'done' }]);
    await write(stage, 'make', grants, 'Make it.');
    await trust(stage);
    const asked: string[] = [];
    const onPermission = async ({ about }: PermissionQuestion) => {
      asked.push(about ?? 'call');
      return { behavior: 'allow' } as const;
    };
    const sendOnce = async () => {
      const session = await stage.open({ onPermission });
      await session.send('go');
      await session.close();
      return asked.splice(0);
    };
    expect(await sendOnce()).toEqual(['skill-grants']);
    expect(await sendOnce()).toEqual([]);
    await write(stage, 'make', grants, 'Make it all.');
    expect(await sendOnce()).toEqual(['skill-grants']);
  });

  it('EX-14: where nobody can be asked, the skill is followed without them, and that is reported', async () => {
    const stage = await setStage([
      { when: { nth: 1 }, reply: [use('make')] },
      { when: { nth: 2 }, reply: [bash('touch made-now')] },
      { reply: 'done' },
    ]);
    await write(stage, 'make', grants, 'MAKE-TEXT');
    await trust(stage);
    const session = await stage.open();
    await session.send('go');
    expect(said(stage.sim.requests[1])).toContain('MAKE-TEXT');
    expect(await isThere(stage, 'made-now')).toBe(false);
    expect(
      eventsOf(stage, 'line-shown')
        .map(({ line }) => line)
        .join('\n'),
    ).toContain('without its permissions');
  });

  it('EX-14: a user’s own skill needs no question; disallowed-tools holds for the turn', async () => {
    const stage = await setStage([
      { when: { nth: 1 }, reply: [use('mine')] },
      { when: { nth: 2 }, reply: [bash('touch made-now'), { tool: 'Glob', input: { pattern: '*' } }] },
      { reply: 'done' },
    ]);
    const file = join(stage.home, '.claude/skills/mine/SKILL.md');
    const { mkdir, writeFile } = await import('node:fs/promises');
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, `---\ndescription: d\n${grants}disallowed-tools: Glob\n---\nMine.\n`);
    const session = await stage.open();
    await session.send('go');
    expect(await isThere(stage, 'made-now')).toBe(true);
    expect(said(stage.sim.requests[2])).toContain('Permission denied');
  });
});

/** As `coppice trust` does. */
async function trust(stage: Stage): Promise<void> {
  const { openTrust } = await import('../../../src/config/trust.js');
  const { nodeHost } = await import('../../../src/host/node-host.js');
  await openTrust(nodeHost(stage.folder, stage.env)).trust(stage.folder);
}

describe('EX-14: hooks of a skill', () => {
  const hooks =
    'hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: "echo no >&2; exit 2"\n';

  it('EX-14: run from its first use to the end of the session, not before', async () => {
    const stage = await setStage([
      { when: { user: 'before' }, reply: [bash('touch before')] },
      { when: { user: '/guard' }, reply: 'guarded' },
      { when: { user: 'after' }, reply: [bash('touch after')] },
      { reply: 'done' },
    ]);
    await write(stage, 'guard', hooks, 'Take care.');
    const session = await stage.open({ trust: true, allowedTools: ['Bash'] });
    await session.send('before');
    await session.send('/guard');
    await session.send('after');
    expect(await isThere(stage, 'before')).toBe(true);
    expect(await isThere(stage, 'after')).toBe(false);
  });

  it('EX-14 GT-3: of a project are shown before they run, also when its name was typed', async () => {
    const stage = await setStage([{ when: { user: 'after' }, reply: [bash('touch after')] }, { reply: 'done' }]);
    await write(stage, 'guard', hooks, 'Take care.');
    await trust(stage);
    const { asked, onPermission } = answering(({ about }) => (about === 'skill-grants' ? 'deny' : 'allow'));
    const session = await stage.open({ onPermission });
    await session.send('/guard');
    expect(asked.map(({ about }) => about)).toEqual(['skill-grants']);
    expect(asked[0]?.reason).toContain('exit 2');
    await session.send('after');
    expect(await isThere(stage, 'after')).toBe(true);
  });
});

describe('EX-8: model of a skill', () => {
  it('EX-8: it runs on it for that turn, and on its own afterwards', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await write(stage, 'quick', 'model: haiku\n', 'Be quick.');
    const session = await stage.open({ trust: true, model: 'sonnet' });
    await session.send('first');
    await session.send('/quick');
    await session.send('third');
    expectAllAccepted(stage.sim);
    const [first, second, third] = stage.sim.requests.map(modelOf);
    expect(second).toContain('haiku');
    expect(first).toContain('sonnet');
    expect(third).toBe(first);
  });
});

describe('EX-2: context: fork', () => {
  it('EX-2: a fresh child does it with the text as its task, on its model, and the model gets the result', async () => {
    const stage = await setStage([
      { when: { said: 'SURVEY the north' }, reply: 'it is cold' },
      { when: { nth: 1 }, reply: [use('survey', 'north')] },
      { reply: 'done' },
    ]);
    await write(stage, 'survey', 'context: fork\nagent: Explore\nmodel: haiku\n', 'SURVEY the $1');
    const session = await stage.open({ trust: true });
    await session.send('go');
    expectAllAccepted(stage.sim);
    const spawned = eventsOf(stage, 'agent-spawned');
    expect(spawned).toHaveLength(1);
    expect(spawned[0]).toMatchObject({ type: 'Explore', depth: 1, description: '/survey' });
    expect(spawned[0]?.model).toContain('haiku');
    expect(said(stage.sim.requests.at(-1))).toContain('it is cold');
    expect(said(stage.sim.requests.at(-1))).not.toContain('SURVEY the north');
  });

  it('EX-2 EX-8: its model goes along to a child that would run on its parent’s', async () => {
    const stage = await setStage([
      { when: { said: 'SURVEY' }, reply: 'it is cold' },
      { when: { nth: 1 }, reply: [use('survey')] },
      { reply: 'done' },
    ]);
    await write(stage, 'survey', 'context: fork\nmodel: haiku\n', 'SURVEY');
    const session = await stage.open({ trust: true, model: 'sonnet' });
    await session.send('go');
    expect(eventsOf(stage, 'agent-spawned')[0]).toMatchObject({ type: 'general-purpose' });
    expect(eventsOf(stage, 'agent-spawned')[0]?.model).toContain('haiku');
  });

  it('EX-2: typed, its result reaches the main agent with the words', async () => {
    const stage = await setStage([{ when: { said: 'SURVEY the north' }, reply: 'it is cold' }, { reply: 'done' }]);
    await write(stage, 'survey', 'context: fork\ndisable-model-invocation: true\n', 'SURVEY the $1');
    const session = await stage.open({ trust: true });
    expect(await session.send('/survey north')).toMatchObject({ reason: 'completed' });
    expectAllAccepted(stage.sim);
    expect(stage.sim.requests).toHaveLength(2);
    expect(said(stage.sim.requests[1])).toContain('/survey north');
    expect(said(stage.sim.requests[1])).toContain('it is cold');
  });

  it('EX-2: an empty text is an error, not a child', async () => {
    const stage = await setStage([{ when: { nth: 1 }, reply: [use('survey')] }, { reply: 'done' }]);
    await write(stage, 'survey', 'context: fork\n', '');
    const session = await stage.open({ trust: true });
    await session.send('go');
    expect(eventsOf(stage, 'agent-spawned')).toHaveLength(0);
  });

  it('EX-2 FK-9 AG-12: a fork starts no child by a skill, nor does an agent at the depth limit', async () => {
    const stage = await setStage([
      { when: { said: 'DEEP-SURVEY' }, reply: 'should not be' },
      { when: { said: 'CHILD-TASK', nth: 1 }, reply: [use('survey')] },
      { when: { said: 'CHILD-TASK' }, reply: 'child done' },
      {
        when: { nth: 1, user: 'child' },
        reply: [{ tool: 'Agent', input: { prompt: 'CHILD-TASK', description: 'd' } }],
      },
      { reply: 'done' },
    ]);
    await write(stage, 'survey', 'context: fork\n', 'DEEP-SURVEY');
    await stage.settings({ maxDepth: 1 });
    const session = await stage.open({ trust: true });
    await session.send('child');
    expect(eventsOf(stage, 'agent-spawned'), stage.sim.report()).toHaveLength(1);
    const child = stage.sim.requests.filter((request) => said(request).includes('CHILD-TASK')).at(1);
    expect(said(child)).toContain('depth');
  });

  it('EX-2 FK-9: a fork must do the work itself', async () => {
    const stage = await setStage([
      { when: { said: 'DEEP-SURVEY' }, reply: 'should not be' },
      { when: { user: 'FORK-TASK' }, reply: [use('survey')] },
      { when: { result: 'fork does its task itself' }, reply: 'did it' },
      { reply: 'done' },
    ]);
    await write(stage, 'survey', 'context: fork\n', 'DEEP-SURVEY');
    const session = await stage.open({ trust: true });
    await session.send('hello');
    const result = await session.fork('FORK-TASK');
    expect(result, stage.sim.report()).toMatchObject({ status: 'completed', content: 'did it' });
    expect(eventsOf(stage, 'agent-spawned')).toHaveLength(1);
  });
});

describe('EX-14: compaction', () => {
  it('EX-14: the latest text of each skill stays, cut at 5,000 tokens', async () => {
    const long = `LONG-START ${'x'.repeat(30_000)} LONG-END`;
    const stage = await setStage([{ when: { user: 'summar' }, reply: 'SUMMARY' }, { reply: 'done' }]);
    await write(stage, 'one', '', 'ONE-TEXT for $1');
    await write(stage, 'long', '', long);
    const session = await stage.open({ trust: true });
    await session.send('/one first');
    await session.send('/long');
    await session.send('/one second');
    expect(await session.execute({ type: 'compact' })).toMatchObject({ ok: true });
    await session.send('go on');
    expectAllAccepted(stage.sim);
    const last = said(stage.sim.requests.at(-1));
    expect(last).toContain('ONE-TEXT for second');
    expect(last).not.toContain('ONE-TEXT for first');
    expect(last).toContain('LONG-START');
    expect(last).not.toContain('LONG-END');
    expect(last).toContain('cut after 20000 characters');
  });
});

it('EX-2: where only clients call tools, a skill’s text is the result, and what it allows ends with the call', async () => {
  const stage = await setStage([]);
  await write(stage, 'make', 'allowed-tools: Bash(touch:*)\n', 'MAKE $1 !`touch from-line; echo printed`');
  const session = await stage.open({ trust: true, onlyCalls: true });
  const call = (id: string, tool: string, input: object) =>
    session.execute({ type: 'call-tool', call: id, tool, input });
  const taken = await call('1', 'Skill', { skill: 'make', args: 'it' });
  expect(JSON.stringify(taken)).toContain('MAKE it printed');
  expect(await isThere(stage, 'from-line')).toBe(true);
  expect(await call('2', 'Bash', { command: 'touch later' })).toMatchObject({ ok: true, isError: true });
  expect(await isThere(stage, 'later')).toBe(false);
});

/** A turn of a skill ends with the turn: its rules and its model, whatever happens meanwhile and afterwards. */

import { describe, expect, it } from 'vitest';
import type { SimRequest } from '../../../src/sim/index.js';
import { gate } from '../../support/gate.js';
import { expectAllAccepted, readingTool, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

const modelOf = (request: SimRequest | undefined) =>
  (JSON.parse(request?.raw.toString('utf8') ?? '{}') as { model: string }).model;
const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const write = (stage: Stage, name: string, fields: string, body: string) =>
  stage.write(`.claude/skills/${name}/SKILL.md`, `---\ndescription: d\n${fields}---\n${body}\n`);
const isThere = (stage: Stage, name: string) =>
  stage.read(name).then(
    () => true,
    () => false,
  );

describe('EX-8: the model of a turn', () => {
  it('EX-8 DU-14: a session that is resumed continues with the model of the user', async () => {
    const stage = await setStage([
      { when: { model: 'haiku' }, reply: [{ thinking: 'OF-HAIKU' }, 'done'] },
      { reply: [{ thinking: 'OF-SONNET' }, 'done'] },
    ]);
    await write(stage, 'quick', 'model: haiku\n', 'Be quick.');
    const session = await stage.open({ trust: true, model: 'sonnet' });
    await session.send('first');
    await session.send('/quick');
    const { id } = session;
    await session.close();
    const again = await stage.open({ trust: true, resume: id });
    await again.send('third');
    expectAllAccepted(stage.sim);
    const [first, second, third] = stage.sim.requests.map(modelOf);
    expect(second).toContain('haiku');
    expect(third).toBe(first);
    expect(stage.sim.requests[1]?.raw.toString('utf8')).not.toContain('OF-SONNET');
    expect(stage.sim.requests[2]?.raw.toString('utf8')).not.toContain('OF-HAIKU');
    const prefixes = stage.sim.requests.map(({ raw }) => raw.toString('utf8').split('"messages":')[0]);
    expect(prefixes[2]).toBe(prefixes[0]);
  });

  it('EX-8 FK-25: it comes back also when tools have changed meanwhile', async () => {
    const stage = await setStage([{ reply: [{ thinking: 'hm' }, 'done'] }]);
    await write(stage, 'quick', 'model: haiku\n', 'Be quick.');
    const session = await stage.open({ trust: true, model: 'sonnet' });
    await session.send('first');
    session.addTools([readingTool('Late', async () => 'x')]);
    await session.send('/quick');
    session.addTools([readingTool('Later', async () => 'x')]);
    await session.send('third');
    await session.send('fourth');
    expectAllAccepted(stage.sim);
    const [first, second, third, fourth] = stage.sim.requests.map(modelOf);
    expect(second).toContain('haiku');
    expect(third).toBe(first);
    expect(fourth).toBe(first);
  });

  it('EX-8: a fork that the user starts afterwards is on the model of the user', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await write(stage, 'quick', 'model: haiku\n', 'Be quick.');
    const session = await stage.open({ trust: true, model: 'sonnet' });
    await session.send('/quick');
    await session.fork('look');
    expectAllAccepted(stage.sim);
    expect(modelOf(stage.sim.requests[1])).toContain('sonnet');
  });

  it('EX-8: what the user chose meanwhile stays', async () => {
    const held = gate();
    const stage = await setStage([
      {
        when: { user: '/quick' },
        reply: async () => {
          await held.opened;
          return 'done';
        },
      },
      { reply: 'done' },
    ]);
    await write(stage, 'quick', 'model: haiku\n', 'Be quick.');
    const session = await stage.open({ trust: true, model: 'sonnet' });
    const first = session.send('/quick');
    await until(() => stage.sim.requests.length === 1);
    await session.execute({ type: 'set-model', model: 'opus' });
    held.open();
    await first;
    await session.send('next');
    expectAllAccepted(stage.sim);
    expect(modelOf(stage.sim.requests[1])).toContain('opus');
  });
});

it('EX-8 EX-12: the effort that the user has chosen goes along to another model, and into the text', async () => {
  const stage = await setStage([{ reply: 'done' }]);
  await write(stage, 'deep', 'model: opus\n', `EFFORT-IS-\${CLAUDE_EFFORT}`);
  const session = await stage.open({ trust: true, model: 'sonnet' });
  await session.send('first');
  await session.execute({ type: 'set-model', effort: 'low' });
  await session.send('/deep');
  await session.send('third');
  expectAllAccepted(stage.sim);
  const raw = stage.sim.requests.map((request) => request.raw.toString('utf8'));
  expect(modelOf(stage.sim.requests[1])).toContain('opus');
  expect(raw.map((one) => one.includes('"effort":"low"'))).toEqual([false, true, true]);
  expect(raw[1]).toContain('EFFORT-IS-low');
});

describe('EX-14: the rules of a turn', () => {
  const grants = 'allowed-tools: Bash(touch:*)\n';

  it('EX-14: a typed skill whose prompt is refused while the agent works grants nothing to that work', async () => {
    const held = gate();
    const stage = await setStage([
      {
        when: { user: 'work', nth: 1 },
        reply: async () => {
          await held.opened;
          return [bash('touch made')];
        },
      },
      { reply: 'done' },
    ]);
    await write(stage, 'make', grants, 'Make it.');
    await stage.settings({
      hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'grep -q /make && exit 2 || exit 0' }] }] },
    });
    const session = await stage.open({ trust: true });
    const working = session.send('work');
    await until(() => stage.sim.requests.length === 1);
    expect(await session.send('/make')).toMatchObject({ reason: 'hook_stopped' });
    held.open();
    await working;
    expect(await isThere(stage, 'made')).toBe(false);
  });

  it('EX-14: a typed skill whose shell line outlasts the work in progress has them in its own turn', async () => {
    const stage = await setStage([
      { when: { user: '/make', nth: 2 }, reply: [bash('touch made')] },
      { when: { user: 'work' }, reply: 'worked' },
      { reply: 'done' },
    ]);
    await write(stage, 'make', 'allowed-tools: Bash(touch:*), Bash(sleep:*)\nmodel: haiku\n', 'Make it.\n\n!`sleep 1`');
    const session = await stage.open({ trust: true, model: 'sonnet' });
    const working = session.send('work');
    const typed = session.send('/make');
    await working;
    await typed;
    expectAllAccepted(stage.sim);
    expect(await isThere(stage, 'made'), stage.sim.report()).toBe(true);
    expect(modelOf(stage.sim.requests[1])).toContain('haiku');
  });

  it('EX-14 DU-3: the same prompt, given twice at once, runs its shell lines once', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await write(stage, 'make', 'allowed-tools: Bash\n', 'Make it.\n\n!`echo x >> ran; sleep 0.3`');
    const session = await stage.open({ trust: true });
    const both = await Promise.all([1, 2].map(() => session.execute({ type: 'prompt', content: '/make', key: 'k' })));
    expect(both.map(({ reason }) => reason)).toEqual(['completed', 'completed']);
    expect(await stage.read('ran')).toBe('x\n');
    expect(stage.sim.requests).toHaveLength(1);
  });
});

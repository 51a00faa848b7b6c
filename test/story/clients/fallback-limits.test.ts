/** The fallback model: when there is none after all, and what it is asked with. */

import { expect, it } from 'vitest';
import type { Session } from '../../../src/front/sdk/session.js';
import { agentCall } from '../../support/agent-call.js';
import { gate } from '../../support/gate.js';
import { eventsOf, readingTool, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { asked, busyAt, expectOnlyBusy, expectThinkingApart, OWN } from './fallback-stage.js';

/** Asks for so long a wait that it is not tried again. */
const AWAY = { kind: 'overloaded', retryAfter: 3_600 } as const;
const lookTool = readingTool('Look', async () => 'seen');
const lastBody = (stage: Stage) => stage.sim.requests.at(-1)?.body;

it('CL-2: a session that was switched to it has none, and reports that it is overloaded', async () => {
  const stage = await setStage([{ when: { model: 'haiku' }, fault: AWAY }, { reply: 'ok' }]);
  const session = await stage.open(OWN);
  await session.setModel('haiku');
  expect(await session.send('hello')).toMatchObject({ reason: 'api_error' });
  expect(asked(stage.sim)).toBe('haiku!');
  expect(eventsOf(stage, 'model-fallback')).toEqual([]);
});

it('CL-2 SU-8: one without a price is not fallen back to under a budget in dollars', async () => {
  const stage = await setStage([{ when: { model: 'sonnet' }, fault: AWAY }, { reply: 'ok' }]);
  await stage.settings({ fallbackModel: 'nobody-1' });
  const session = await stage.open({ model: 'sonnet', maxUsd: 1 });
  expect(await session.send('hello')).toMatchObject({ reason: 'api_error' });
  expect(asked(stage.sim)).toBe('sonnet!');
});

it('CL-2: it has the effort and the thinking that the user chose since the session began', async () => {
  const stage = await setStage([{ when: { model: 'sonnet', user: 'busy' }, fault: AWAY }, { reply: 'ok' }]);
  const session = await stage.open({ ...OWN, thinking: { type: 'adaptive', display: 'omitted' } });
  await session.execute({ type: 'set-model', effort: 'low' });
  await session.execute({ type: 'set-thinking', thinking: { type: 'disabled' } });
  await session.send('busy');
  expect(lastBody(stage)).toMatchObject({ thinking: { type: 'disabled' }, output_config: { effort: 'low' } });
  expect(lastBody(stage)?.model).toContain('haiku');
  // As the session was opened with.
  await session.execute({ type: 'set-thinking', thinking: null });
  await session.send('free');
  expect(lastBody(stage)).toMatchObject({ thinking: { type: 'adaptive', display: 'omitted' } });
  await session.send('busy again');
  expect(lastBody(stage)).toMatchObject({ thinking: { type: 'adaptive', display: 'omitted' } });
  expectOnlyBusy(stage.sim);
});

it('CL-2 FK-25: the task budget stays where a series of calls continues without thinking', async () => {
  const held = gate();
  let isAsked = false;
  const stage = await setStage([
    { when: { model: 'sonnet' }, reply: 'from sonnet' },
    {
      reply: async () => {
        isAsked = true;
        await held.opened;
        return [{ thinking: 'OF-HAIKU' }, { tool: 'Look', input: {} }];
      },
    },
  ]);
  const session = await stage.open({ model: 'haiku', taskBudget: 50_000, tools: [lookTool] });
  const work = session.send('go');
  await until(() => isAsked);
  await session.setModel('claude-sonnet-4-5');
  held.open();
  await work;
  expect(lastBody(stage)?.thinking).toBeUndefined();
  expect(lastBody(stage)?.output_config?.task_budget?.total).toBe(50_000);
  expectOnlyBusy(stage.sim);
});

it('CL-2: a model that the user chooses while the own one is tried: the other continues, then the chosen one', async () => {
  const stage = await setStage([
    busyAt('busy'),
    { when: { model: 'haiku' }, reply: [{ thinking: 'OF-HAIKU' }, { tool: 'Look', input: {} }] },
    { reply: 'from opus' },
  ]);
  const session = await stage.open({ ...OWN, tools: [lookTool] });
  let chosen: Promise<unknown> | undefined;
  session.watch(({ event }) => {
    if (event.kind === 'fault-met') chosen ??= session.setModel('opus');
  });
  expect(await session.send('busy')).toMatchObject({ text: 'from opus' });
  await chosen;
  expectOnlyBusy(stage.sim);
  expect(asked(stage.sim)).toBe('sonnet! sonnet! sonnet! haiku opus');
});

it('CL-2: only a series of calls that another model began continues without thinking', async () => {
  const held = gate();
  let isAsked = false;
  const stage = await setStage([
    { when: { model: 'sonnet-4-5', result: 'seen' }, reply: 'from sonnet' },
    { when: { model: 'sonnet-4-5' }, reply: [{ thinking: 'OF-SONNET' }, { tool: 'Wait', input: {} }] },
    { reply: 'ok' },
  ]);
  const waitTool = readingTool('Wait', async () => {
    isAsked = true;
    await held.opened;
    return 'seen';
  });
  const session = await stage.open({ model: 'claude-sonnet-4-5', tools: [waitTool] });
  const work = session.send('go');
  await until(() => isAsked);
  await session.execute({ type: 'set-model', effort: 'low' });
  held.open();
  await work;
  expect(stage.sim.requests.map(({ body }) => body.thinking?.type)).toEqual(['enabled', 'enabled']);
  expectOnlyBusy(stage.sim);
});

it('CL-2: a series that words have ended is none: the other model thinks', async () => {
  const held = gate();
  let isAsked = false;
  const stage = await setStage([
    busyAt('busy'),
    { when: { model: 'haiku' }, reply: 'from haiku' },
    {
      when: { result: 'seen' },
      reply: async () => {
        isAsked = true;
        await held.opened;
        return 'never heard';
      },
    },
    { reply: [{ thinking: 'OF-SONNET' }, { tool: 'Look', input: {} }] },
  ]);
  const session = await stage.open({ ...OWN, fallbackModel: 'claude-haiku-4-5', tools: [lookTool] });
  const work = session.send('go');
  await until(() => isAsked);
  await session.interrupt();
  held.open();
  await work;
  expect(await session.send('busy')).toMatchObject({ text: 'from haiku' });
  expect(lastBody(stage)?.thinking).toMatchObject({ type: 'enabled' });
  expectOnlyBusy(stage.sim);
});

it('CL-2: a model that is chosen while nothing works thinks, also after a series that was broken off', async () => {
  const stage = await setStage([
    { when: { model: 'haiku' }, reply: 'from haiku' },
    { reply: [{ thinking: 'OF-SONNET' }, { tool: 'Stop', input: {} }] },
  ]);
  const stopTool = readingTool('Stop', async () => {
    await session.interrupt();
    return 'seen';
  });
  const session: Session = await stage.open({ model: 'sonnet', tools: [stopTool] });
  expect(await session.send('go')).toMatchObject({ reason: 'interrupted' });
  await session.setModel('claude-haiku-4-5');
  await session.send('next');
  expect(lastBody(stage)?.thinking).toMatchObject({ type: 'enabled' });
  expectOnlyBusy(stage.sim);
});

it('CL-2 EX-8 FK-25: a skill with a model in a turn on the fallback: that applies, for children too, until the turn ends', async () => {
  const stage = await setStage([
    busyAt('busy'),
    { when: { model: 'haiku' }, reply: [{ thinking: 'OF-HAIKU' }, { tool: 'Skill', input: { skill: 'deep' } }] },
    { when: { user: 'the task' }, reply: 'child says so' },
    { when: { result: { tool: 'Agent' } }, reply: 'end' },
    { when: { model: 'opus' }, reply: [agentCall('the task', { description: 'c' })] },
    { reply: 'from sonnet' },
  ]);
  await stage.write('.claude/skills/deep/SKILL.md', '---\ndescription: d\nmodel: opus\n---\nGo deep.\n');
  const session = await stage.open({ ...OWN, trust: true });
  expect(await session.send('busy')).toMatchObject({ text: 'end' });
  await session.send('next');
  expectOnlyBusy(stage.sim);
  expect(asked(stage.sim)).toBe('sonnet! sonnet! sonnet! haiku opus opus opus sonnet');
  expectThinkingApart(stage.sim);
});

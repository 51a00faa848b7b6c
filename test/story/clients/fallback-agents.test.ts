/** The fallback model for agents: each has its own turn on it, whatever its parent and its siblings do. */

import { describe, expect, it } from 'vitest';
import { agentCall } from '../../support/agent-call.js';
import { gate } from '../../support/gate.js';
import { eventsOf, readingTool, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { die } from '../durability/crash-stage.js';
import { asked, BUSY, expectOnlyBusy, expectThinkingApart, fallenLines, OWN, rawOf } from './fallback-stage.js';

const TASK = 'task of the child';
const FORKED = 'You are a forked worker';
const lookTool = readingTool('Look', async () => 'seen');
const look = { tool: 'Look', input: {} };
const fork = (n = 1) => agentCall(`DIRECTIVE ${n}`, { fork: true, description: `part ${n}` });

describe('a named child', () => {
  it('CL-2 FK-25: falls back on its own; its parent, who waits for it, stays on the own model', async () => {
    const stage = await setStage([
      { when: { model: 'sonnet', user: TASK }, fault: BUSY },
      { when: { model: 'haiku' }, reply: [{ thinking: 'OF-HAIKU' }, 'child says so'] },
      { when: { result: { tool: 'Agent' } }, reply: [{ thinking: 'OF-SONNET' }, 'end'] },
      { reply: [{ thinking: 'OF-SONNET' }, agentCall(TASK, { description: 'c' })] },
    ]);
    expect(await (await stage.open(OWN)).send('go')).toMatchObject({ reason: 'completed', text: 'end' });
    expectOnlyBusy(stage.sim);
    expect(asked(stage.sim)).toBe('sonnet sonnet! sonnet! sonnet! haiku sonnet');
    expectThinkingApart(stage.sim);
    const [fell] = stage.events.filter(({ event }) => event.kind === 'model-fallback');
    expect(fell?.agent).not.toBe('main');
  });

  it('CL-2: of a parent that has fallen back: its own model is the one that the parent has for good', async () => {
    const stage = await setStage([
      { when: { model: 'sonnet', user: TASK }, reply: 'child on sonnet' },
      { when: { model: 'sonnet', user: 'go' }, fault: BUSY },
      { when: { model: 'haiku', result: { tool: 'Agent' } }, reply: 'end' },
      { when: { model: 'haiku' }, reply: [agentCall(TASK, { description: 'c' })] },
    ]);
    expect(await (await stage.open(OWN)).send('go')).toMatchObject({ text: 'end' });
    expectOnlyBusy(stage.sim);
    expect(asked(stage.sim)).toBe('sonnet! sonnet! sonnet! haiku sonnet haiku');
  });

  it('CL-2 DU-15: killed in its turn on the other model, it continues with its own, without what the other thought', async () => {
    const held = gate();
    let isAsked = false;
    const stage = await setStage([
      { when: { model: 'sonnet', user: TASK, nth: 1 }, fault: BUSY, times: 3 },
      {
        when: { model: 'haiku', result: 'seen' },
        reply: async () => {
          isAsked = true;
          await held.opened;
          return 'never heard';
        },
      },
      { when: { model: 'haiku' }, reply: [{ thinking: 'OF-HAIKU' }, look] },
      { when: { said: TASK }, reply: [{ thinking: 'OF-SONNET' }, 'child says so'] },
      { when: { result: { tool: 'Agent' } }, reply: [{ thinking: 'OF-SONNET' }, 'end'] },
      { reply: [{ thinking: 'OF-SONNET' }, agentCall(TASK, { description: 'c' })] },
    ]);
    Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
    const first = await stage.open({ ...OWN, tools: [lookTool] });
    void first.send('go');
    await until(() => isAsked);
    await die(stage, first, () => held.open());
    const before = stage.sim.requests.length;
    const again = await stage.open({ resume: first.id, ...OWN, tools: [lookTool] });
    expect(await again.send('and?')).toMatchObject({ reason: 'completed', text: 'end' });
    expectOnlyBusy(stage.sim);
    expect(stage.sim.requests.slice(before).every(({ body }) => body.model.includes('sonnet'))).toBe(true);
    expectThinkingApart(stage.sim);
  });
});

describe('a fork', () => {
  const parent = (count: number) => [
    { when: { result: { tool: 'Agent' } }, reply: [{ thinking: 'OF-SONNET' }, 'end'] },
    {
      when: { result: 'seen' },
      reply: [{ thinking: 'OF-SONNET' }, ...Array.from({ length: count }, (_, n) => fork(n))],
    },
    { reply: [{ thinking: 'OF-SONNET' }, look] },
  ];

  it('CL-2 FK-25: leaves its parent’s cache for the other model, with none of its parent’s thinking', async () => {
    const stage = await setStage([
      { when: { model: 'sonnet', said: FORKED }, fault: BUSY },
      { when: { model: 'haiku' }, reply: [{ thinking: 'OF-HAIKU' }, 'Scope: done'] },
      ...parent(1),
    ]);
    const session = await stage.open({ ...OWN, fork: 'on', tools: [lookTool] });
    expect(await session.send('go')).toMatchObject({ reason: 'completed', text: 'end' });
    expectOnlyBusy(stage.sim);
    expect(asked(stage.sim)).toBe('sonnet sonnet sonnet! sonnet! sonnet! haiku sonnet');
    expectThinkingApart(stage.sim);
    // Its parent continues from its own bytes: nothing of it was repaired.
    expect(rawOf(stage.sim.requests.at(-1))).toContain('OF-SONNET');
    const warnings = eventsOf(stage, 'line-shown').map(({ line }) => line);
    expect(warnings.filter((line) => line.includes('started cold'))).toEqual([]);
  });

  it('CL-2: of several, each falls back; nobody waits for a sibling that has left', async () => {
    const stage = await setStage([
      { when: { model: 'sonnet', said: FORKED }, fault: BUSY },
      { when: { model: 'haiku' }, reply: 'Scope: done' },
      ...parent(4),
    ]);
    await stage.settings({ fork: { siblings: 'all', warmupMs: 600_000 } });
    const session = await stage.open({ ...OWN, fork: 'on', tools: [lookTool] });
    expect(await session.send('go')).toMatchObject({ reason: 'completed', text: 'end' });
    expectOnlyBusy(stage.sim);
    expect(fallenLines(stage)).toHaveLength(4);
    expectThinkingApart(stage.sim);
  });

  it('CL-2 FK-25: of a parent on the other model: it has that for good, with its thinking', async () => {
    const stage = await setStage([
      { when: { model: 'sonnet', user: 'go' }, fault: BUSY },
      { when: { model: 'haiku', user: FORKED }, reply: 'Scope: done' },
      { when: { result: { tool: 'Agent' } }, reply: 'end' },
      { when: { model: 'haiku' }, reply: [{ thinking: 'OF-HAIKU' }, fork()] },
      { reply: 'on sonnet' },
    ]);
    const session = await stage.open({ ...OWN, fork: 'on' });
    expect(await session.send('go')).toMatchObject({ text: 'end' });
    await session.send('next');
    expectOnlyBusy(stage.sim);
    expect(asked(stage.sim)).toBe('sonnet! sonnet! sonnet! haiku haiku haiku sonnet');
    expect(rawOf(stage.sim.requests[4])).toContain('OF-HAIKU');
    expectThinkingApart(stage.sim);
    const begun = stage.events.filter(({ agent, event }) => agent !== 'main' && event.kind === 'epoch-started');
    expect(begun).toEqual([
      expect.objectContaining({ event: expect.not.objectContaining({ base: expect.anything() }) }),
    ]);
  });

  it('CL-2 DU-18: killed in its turn on the other model, it continues with its parent’s', async () => {
    const held = gate();
    let isAsked = false;
    const stage = await setStage([
      { when: { model: 'sonnet', user: FORKED }, fault: BUSY, times: 3 },
      {
        when: { model: 'haiku', result: 'seen', nth: 4 },
        reply: async () => {
          isAsked = true;
          await held.opened;
          return 'never heard';
        },
      },
      { when: { model: 'haiku' }, reply: [{ thinking: 'OF-HAIKU' }, look] },
      { when: { said: FORKED }, reply: [{ thinking: 'OF-SONNET' }, 'Scope: done'] },
      ...parent(1),
    ]);
    Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
    const options = { ...OWN, fork: 'on', tools: [lookTool] } as const;
    const first = await stage.open(options);
    void first.send('go');
    await until(() => isAsked);
    await die(stage, first, () => held.open());
    const before = stage.sim.requests.length;
    const again = await stage.open({ resume: first.id, ...options });
    expect(await again.send('and?')).toMatchObject({ reason: 'completed', text: 'end' });
    expectOnlyBusy(stage.sim);
    expect(stage.sim.requests.slice(before).every(({ body }) => body.model.includes('sonnet'))).toBe(true);
    expectThinkingApart(stage.sim);
  });
});

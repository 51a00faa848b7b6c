/** FK-25 on the ways back: what one model thought is never sent to another, whatever a session goes back to. */

import { describe, expect, it } from 'vitest';
import { messageId } from '../../../src/session/message-id.js';
import { agentCall } from '../../support/agent-call.js';
import { gate } from '../../support/gate.js';
import { readingTool, readTranscript, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { die } from '../durability/crash-stage.js';
import { asked, busyAt, expectOnlyBusy, expectThinkingApart, OWN, rawOf } from './fallback-stage.js';

const HAIKU = { when: { model: 'haiku' }, reply: [{ thinking: 'OF-HAIKU' }, 'from haiku'] };
const SONNET = { reply: [{ thinking: 'OF-SONNET' }, 'from sonnet'] };
const lookTool = readingTool('Look', async () => 'seen');
const look = { tool: 'Look', input: {} };
/** Wants the thinking with which a series of calls began. */
const BUDGET = { model: 'claude-sonnet-4-5', fallbackModel: 'haiku' } as const;

describe('going back to words of another model', () => {
  it('CL-2 FK-25: a rewind to a prompt that came after a turn on the fallback', async () => {
    const stage = await setStage([busyAt('busy'), HAIKU, SONNET]);
    const session = await stage.open(OWN);
    await session.send('busy');
    await session.send('second');
    expect(await session.rewind({ to: 2, part: 'conversation' })).toMatchObject({ ok: true });
    await session.send('another second');
    expectOnlyBusy(stage.sim);
    expect(rawOf(stage.sim.requests.at(-1))).toContain('from haiku');
    expectThinkingApart(stage.sim);
  });

  it('CL-2 FK-25: the same when the session is opened', async () => {
    const stage = await setStage([busyAt('busy'), HAIKU, SONNET]);
    const session = await stage.open(OWN);
    await session.send('busy');
    await session.send('second');
    await session.close();
    const again = await stage.open({ ...OWN, resume: session.id, rewind: { to: 2, part: 'conversation' } });
    await again.send('another second');
    expectOnlyBusy(stage.sim);
    expect(rawOf(stage.sim.requests.at(-1))).toContain('from haiku');
    expectThinkingApart(stage.sim);
  });

  it('CL-2 FK-25: continuing after a message of the fallback', async () => {
    const stage = await setStage([busyAt('busy'), HAIKU, SONNET]);
    const session = await stage.open(OWN);
    await session.send('busy');
    await session.send('second');
    const replied = (await readTranscript(session.transcript)).find(({ event }) => event.kind === 'assistant-replied');
    await session.close();
    const resumeAt = messageId(session.id, 'main', replied?.seq ?? 0);
    const again = await stage.open({ ...OWN, resume: session.id, resumeAt });
    await again.send('another second');
    expectOnlyBusy(stage.sim);
    expect(rawOf(stage.sim.requests.at(-1))).toContain('from haiku');
    expectThinkingApart(stage.sim);
  });

  it('FK-25: a rewind after the model was switched, before anything was asked of it', async () => {
    const stage = await setStage([HAIKU, SONNET]);
    const session = await stage.open({ model: 'sonnet' });
    await session.send('first');
    await session.send('second');
    await session.setModel('haiku');
    await session.rewind({ to: 2, part: 'conversation' });
    await session.send('another second');
    expect(asked(stage.sim)).toBe('sonnet sonnet haiku');
    expectOnlyBusy(stage.sim);
    expect(rawOf(stage.sim.requests.at(-1))).toContain('from sonnet');
    expectThinkingApart(stage.sim);
  });

  it('FK-25: a rewind to before the model was switched, by then asked', async () => {
    const stage = await setStage([HAIKU, SONNET]);
    const session = await stage.open({ model: 'sonnet' });
    await session.send('first');
    await session.send('second');
    await session.setModel('haiku');
    await session.send('third');
    await session.rewind({ to: 2, part: 'conversation' });
    await session.send('another second');
    expect(asked(stage.sim)).toBe('sonnet sonnet haiku haiku');
    expectOnlyBusy(stage.sim);
    expectThinkingApart(stage.sim);
  });
});

describe('a model with a budget to think', () => {
  it('CL-2 FK-25: interrupted in its series of calls on the fallback, its own model takes the next prompt', async () => {
    const held = gate();
    let isAsked = false;
    const stage = await setStage([
      busyAt('busy'),
      {
        when: { model: 'haiku', result: 'seen' },
        reply: async () => {
          isAsked = true;
          await held.opened;
          return 'never heard';
        },
      },
      { when: { model: 'haiku' }, reply: [{ thinking: 'OF-HAIKU' }, look] },
      SONNET,
    ]);
    const session = await stage.open({ ...BUDGET, tools: [lookTool] });
    const work = session.send('busy');
    await until(() => isAsked);
    await session.interrupt();
    held.open();
    await work;
    expect(await session.send('next')).toMatchObject({ reason: 'completed', text: 'from sonnet' });
    expectOnlyBusy(stage.sim);
    expectThinkingApart(stage.sim);
  });

  it('CL-2 FK-25 DU-15: a child that was killed in its series of calls on the fallback continues with its own', async () => {
    const held = gate();
    let isAsked = false;
    const stage = await setStage([
      { when: { model: 'sonnet', user: 'the task', nth: 1 }, fault: { kind: 'overloaded', retryAfter: 0 }, times: 3 },
      {
        when: { model: 'haiku', result: 'seen' },
        reply: async () => {
          isAsked = true;
          await held.opened;
          return 'never heard';
        },
      },
      { when: { model: 'haiku' }, reply: [{ thinking: 'OF-HAIKU' }, look] },
      { when: { said: 'the task' }, reply: [{ thinking: 'OF-SONNET' }, 'child says so'] },
      { when: { result: { tool: 'Agent' } }, reply: [{ thinking: 'OF-SONNET' }, 'end'] },
      { reply: [{ thinking: 'OF-SONNET' }, agentCall('the task', { description: 'c' })] },
    ]);
    Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
    await stage.settings({ subagents: { thinking: true } });
    const first = await stage.open({ ...BUDGET, tools: [lookTool] });
    void first.send('go');
    await until(() => isAsked);
    await die(stage, first, () => held.open());
    const again = await stage.open({ resume: first.id, ...BUDGET, tools: [lookTool] });
    expect(await again.send('and?')).toMatchObject({ reason: 'completed', text: 'end' });
    expectOnlyBusy(stage.sim);
    expectThinkingApart(stage.sim);
  });

  it('FK-25: the user switches to it in the middle of a series of calls', async () => {
    const held = gate();
    let isAsked = false;
    const stage = await setStage([
      {
        when: { model: 'haiku', user: 'go' },
        reply: async () => {
          isAsked = true;
          await held.opened;
          return [{ thinking: 'OF-HAIKU' }, look];
        },
      },
      SONNET,
    ]);
    const session = await stage.open({ model: 'haiku', tools: [lookTool] });
    const work = session.send('go');
    await until(() => isAsked);
    await session.setModel('claude-sonnet-4-5');
    held.open();
    expect(await work).toMatchObject({ reason: 'completed', text: 'from sonnet' });
    expectOnlyBusy(stage.sim);
    expectThinkingApart(stage.sim);
    await session.send('next');
    expect(stage.sim.requests.at(-1)?.body.thinking).toMatchObject({ type: 'enabled' });
  });
});

/** The fallback model: for the turn in which the session's own is overloaded, and not longer. */

import { describe, expect, it } from 'vitest';
import { openSession } from '../../../src/front/sdk/open-session.js';
import { gate } from '../../support/gate.js';
import { eventsOf, faultLines, readingTool, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { asked, BUSY, busyAt, expectOnlyBusy, expectThinkingApart, OWN, rawOf } from './fallback-stage.js';

const HAIKU = { when: { model: 'haiku' }, reply: [{ thinking: 'OF-HAIKU' }, 'from haiku'] };

const SONNET = { reply: [{ thinking: 'OF-SONNET' }, 'from sonnet'] };

const lookTool = readingTool('Look', async () => 'seen');

const look = { tool: 'Look', input: {} };

describe('an overloaded model', () => {
  it('CL-2 FK-25: the third overload ends the tries; the turn continues with the other, the next prompt is back', async () => {
    const stage = await setStage([busyAt('busy'), HAIKU, SONNET]);
    const session = await stage.open(OWN);
    await session.send('hello');
    expect(await session.send('busy')).toMatchObject({ reason: 'completed', text: 'from haiku' });
    expect(await session.send('again')).toMatchObject({ reason: 'completed', text: 'from sonnet' });
    expectOnlyBusy(stage.sim);
    expect(asked(stage.sim)).toBe('sonnet sonnet! sonnet! sonnet! haiku sonnet');
    expectThinkingApart(stage.sim);
    const [first, , , , , last] = stage.sim.requests.map((request) => rawOf(request).split('"messages":')[0]);
    expect(last).toBe(first);
  });

  it('CL-2: it is reported once, as an event and as a line; the tries before it as ever', async () => {
    const stage = await setStage([busyAt('busy'), HAIKU, SONNET]);
    await (await stage.open(OWN)).send('busy');
    const line = expect.stringMatching(
      /^claude-sonnet-5-5 is overloaded .*continuing this turn with claude-haiku-5-5$/,
    );
    expect(eventsOf(stage, 'model-fallback')).toEqual([
      { kind: 'model-fallback', from: 'claude-sonnet-5-5', to: 'claude-haiku-5-5', reason: 'overloaded', line },
    ]);
    const again = expect.stringContaining('retrying');
    expect(faultLines(stage)).toEqual([again, again, line]);
  });

  it('CL-2 FK-25: in the middle of a turn with calls: the rest of it is the other’s', async () => {
    const stage = await setStage([
      { when: { model: 'haiku', result: 'seen', nth: 3 }, reply: [{ thinking: 'OF-HAIKU' }, 'done by haiku'] },
      { when: { model: 'haiku' }, reply: [{ thinking: 'OF-HAIKU' }, look] },
      { when: { model: 'sonnet', result: 'seen' }, fault: BUSY },
      { when: { user: 'go' }, reply: [{ thinking: 'OF-SONNET' }, look] },
      SONNET,
    ]);
    const session = await stage.open({ ...OWN, tools: [lookTool] });
    expect(await session.send('go')).toMatchObject({ text: 'done by haiku' });
    await session.send('next');
    expectOnlyBusy(stage.sim);
    expect(asked(stage.sim)).toBe('sonnet sonnet! sonnet! sonnet! haiku haiku sonnet');
    expectThinkingApart(stage.sim);
  });

  it('CL-2 FK-25: a fallback that wants the thinking of its calls does not think in a series that another began', async () => {
    const stage = await setStage([
      { when: { model: 'haiku' }, reply: 'done by haiku' },
      { when: { model: 'sonnet', result: 'seen' }, fault: BUSY },
      { reply: [{ thinking: 'OF-SONNET' }, look] },
    ]);
    const session = await stage.open({ ...OWN, fallbackModel: 'claude-haiku-4-5', tools: [lookTool] });
    expect(await session.send('go')).toMatchObject({ reason: 'completed', text: 'done by haiku' });
    expectOnlyBusy(stage.sim);
    expect(stage.sim.requests.at(-1)?.body.thinking).toBeUndefined();
  });

  it('CL-2: an overload in mid-stream counts, and what had come is not part of the answer', async () => {
    const stage = await setStage([
      { when: { model: 'sonnet' }, fault: { kind: 'error_event', at: 4 }, reply: [{ thinking: 'OF-SONNET' }, 'half'] },
      HAIKU,
    ]);
    const session = await stage.open(OWN);
    expect(await session.send('hello')).toMatchObject({ reason: 'completed', text: 'from haiku' });
    expect(stage.sim.requests).toHaveLength(4);
    expectThinkingApart(stage.sim);
  });

  it('CL-2: the time that the overloaded model asks for is not waited for, by this prompt or the next', async () => {
    const stage = await setStage([
      busyAt('busy', 2),
      { when: { model: 'sonnet', user: 'busy' }, fault: { kind: 'overloaded', retryAfter: 500 } },
      HAIKU,
      SONNET,
    ]);
    const session = await stage.open(OWN);
    expect(await session.send('busy')).toMatchObject({ text: 'from haiku' });
    expect(await session.send('next')).toMatchObject({ text: 'from sonnet' });
    expect(asked(stage.sim)).toBe('sonnet! sonnet! sonnet! haiku sonnet');
  });

  it('CL-2: the summary of a conversation falls back as well, and the own model comes back after it', async () => {
    const stage = await setStage([
      { when: { model: 'sonnet', user: /summar/i }, fault: BUSY, times: 3 },
      { when: { model: 'haiku' }, reply: [{ thinking: 'OF-HAIKU' }, 'SUMMARY'] },
      SONNET,
    ]);
    const session = await stage.open(OWN);
    await session.send('one');
    await session.send('two');
    expect(await session.execute({ type: 'compact' })).toEqual({ ok: true });
    await session.send('three');
    expectOnlyBusy(stage.sim);
    expect(asked(stage.sim)).toBe('sonnet sonnet sonnet! sonnet! sonnet! haiku sonnet');
    expectThinkingApart(stage.sim);
    expect(rawOf(stage.sim.requests.at(-1))).toContain('SUMMARY');
  });

  it('CL-2 FK-25: a model that the user chooses meanwhile stays', async () => {
    const held = gate();
    let isAsked = false;
    const stage = await setStage([
      busyAt('busy'),
      {
        when: { model: 'haiku', nth: 1 },
        reply: async () => {
          isAsked = true;
          await held.opened;
          return [{ thinking: 'OF-HAIKU' }, look];
        },
      },
      { reply: 'from another' },
    ]);
    const session = await stage.open({ ...OWN, tools: [lookTool] });
    const work = session.send('busy');
    await until(() => isAsked);
    await session.setModel('opus');
    held.open();
    await work;
    await session.send('next');
    expectOnlyBusy(stage.sim);
    expect(asked(stage.sim)).toBe('sonnet! sonnet! sonnet! haiku opus opus');
    expectThinkingApart(stage.sim);
  });
});

describe('CL-5: what is no fallback', () => {
  const refused = async (fallbackModel: string, more = {}) => {
    const { folder, env } = await setStage();
    const opened = await openSession({ cwd: folder, env, model: 'sonnet', ...more, fallbackModel });
    if (opened.ok) await opened.session.close();
    return opened.ok ? undefined : opened.reason;
  };

  it('CL-5: the session’s own model, also by another name', async () => {
    expect(await refused('claude-sonnet-5-5')).toContain("the session's own model, claude-sonnet-5-5");
  });

  it('CL-5: one without a price, under a budget in dollars', async () => {
    expect(await refused('nobody-knows-1', { maxUsd: 1 })).toMatch(/nobody-knows-1/);
  });

  it.each(['haiku,opus', '', '  '])('CL-5: %j is not one model', async (name) => {
    expect(await refused(name)).toContain('must be one model');
  });

  it('CL-5: of one that is unknown the user is informed', async () => {
    const stage = await setStage();
    const session = await stage.open({ model: 'sonnet', fallbackModel: 'hiaku' });
    expect(session.warnings).toEqual([expect.stringContaining('unknown fallback model hiaku')]);
  });
});

describe('CL-2: the setting', () => {
  it.each([['haiku'], [['sonnet', 'haiku', 'opus']]])(
    'CL-2: %j names it, too; the flag comes before it',
    async (named) => {
      const stage = await setStage([busyAt('busy'), HAIKU, SONNET]);
      await stage.settings({ fallbackModel: named });
      const session = await stage.open({ model: 'sonnet' });
      expect(session.warnings).toEqual([]);
      expect(await session.send('busy')).toMatchObject({ text: 'from haiku' });
      await session.close();
      await (await stage.open({ ...OWN, fallbackModel: 'opus' })).send('busy');
      expect(stage.sim.requests.at(-1)?.body.model).toContain('opus');
    },
  );

  it('CL-2: one that is of no use here does not keep a session from opening', async () => {
    const stage = await setStage([SONNET]);
    await stage.settings({ fallbackModel: 'sonnet' });
    expect((await stage.open({ model: 'sonnet' })).warnings).toEqual([]);
    await stage.settings({ fallbackModel: 'nobody-1' });
    const session = await stage.open({ model: 'sonnet', maxUsd: 1 });
    expect(session.warnings).toEqual([expect.stringContaining('fallbackModel in the settings is ignored')]);
    await session.send('hi');
  });
});

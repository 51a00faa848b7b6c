/** The fallback model: for the turn in which the session's own is overloaded, and not longer. */

import { describe, expect, it } from 'vitest';
import { asked, BUSY, busyAt, OWN } from '../../../story/clients/fallback-stage.js';
import { eventsOf, setStage } from '../../../support/story.js';

const HAIKU = { when: { model: 'haiku' }, reply: [{ thinking: 'OF-HAIKU' }, 'from haiku'] };

const SONNET = { reply: [{ thinking: 'OF-SONNET' }, 'from sonnet'] };

describe('an overloaded model', () => {
  it.each([30, 3_600])('CL-2: one that asks for %i seconds is not tried again at all', async (retryAfter) => {
    const stage = await setStage([
      { when: { model: 'sonnet', user: 'busy' }, fault: { kind: 'overloaded', retryAfter } },
      HAIKU,
      SONNET,
    ]);
    const session = await stage.open(OWN);
    expect(await session.send('busy')).toMatchObject({ text: 'from haiku' });
    expect(await session.send('next')).toMatchObject({ text: 'from sonnet' });
    expect(asked(stage.sim)).toBe('sonnet! haiku sonnet');
  });

  it.each([
    { kind: 'rate_limit', retryAfter: 0 },
    { kind: 'server_error', retryAfter: 0 },
  ] as const)('CL-2: $kind is no overload: the same model is tried again', async (fault) => {
    const stage = await setStage([{ when: { user: 'busy' }, fault, times: 4 }, SONNET]);
    expect(await (await stage.open(OWN)).send('busy')).toMatchObject({ text: 'from sonnet' });
    expect(eventsOf(stage, 'model-fallback')).toEqual([]);
    expect(stage.sim.requests).toHaveLength(5);
  });

  it('CL-2: without a fallback it is tried as often as ever', async () => {
    const stage = await setStage([busyAt('busy', 5), SONNET]);
    expect(await (await stage.open({ model: 'sonnet' })).send('busy')).toMatchObject({ text: 'from sonnet' });
    expect(stage.sim.requests).toHaveLength(6);
  });

  it('CL-2: both overloaded: the other is tried as often as any, and the error names both; the next prompt begins anew', async () => {
    const stage = await setStage([{ when: { user: 'busy' }, fault: BUSY, times: 12 }, SONNET]);
    const session = await stage.open(OWN);
    const end = await session.send('busy');
    expect(end).toMatchObject({ reason: 'api_error' });
    expect(end.line).toMatch(/sonnet-5-5 is overloaded, and so is claude-haiku-5-5.*gave up after 9 tries/);
    expect(asked(stage.sim)).toBe(`${'sonnet! '.repeat(3)}${'haiku! '.repeat(9)}`.trim());
    expect(await session.send('next')).toMatchObject({ text: 'from sonnet' });
  });
});

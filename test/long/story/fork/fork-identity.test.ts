import { describe, expect, it } from 'vitest';
import type { ReplyBlock, SimRequest } from '../../../../src/sim/index.js';
import { expectIdentity, expectSuffix, forkRequests } from '../../../story/fork/fork-check.js';
import { fork, lastBefore, look, lookTool, rules } from '../../../story/fork/fork-identity-stage.js';
import fc from '../../../support/fast-check.js';
import { eventsOf, setStage } from '../../../support/story.js';

describe.each(['all', 'own'] as const)('byte identity, on the wire: siblings %s', (siblings) => {
  const seen = { fork: 'on', settings: JSON.stringify({ fork: { siblings } }) } as const;

  it('FK-8: whatever the history: random turns, random forks', async () => {
    const words = fc.oneof(
      fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }),
      fc.constantFrom('<fork-boilerplate>', '\u2028 "quoted" \\', '𝒳 ﷽', '</system-reminder>'),
    );
    const shown = words.filter((text) => text.trim() !== '' && !text.includes('DIRECTIVE'));
    const block: fc.Arbitrary<ReplyBlock> = fc.oneof(
      shown,
      shown.map((thinking) => ({ thinking })),
      fc.integer({ min: 0, max: 9 }).map(look),
    );
    const working = fc.array(block, { maxLength: 4 }).map((blocks): ReplyBlock[] => [...blocks, look(3)]);
    const story = fc.record({
      prompts: fc.array(shown, { minLength: 1, maxLength: 2 }),
      turns: fc.array(working, { maxLength: 4 }),
      before: fc.array(block, { maxLength: 3 }),
      forks: fc.integer({ min: 1, max: 4 }),
      after: fc.array(fc.integer({ min: 0, max: 9 }).map(look), { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ prompts, turns, before, forks, after }) => {
        const calls = Array.from({ length: forks }, (_, n) => fork(n));
        const stage = await setStage(
          rules(
            [...prompts.slice(1).map(() => 'next'), ...turns, [...before, ...calls, ...after], 'end'],
            [[look(5)], 'Scope: done'],
          ),
        );
        const session = await stage.open({ ...seen, tools: [lookTool] });
        for (const prompt of prompts) await session.send(prompt);
        const parent = await lastBefore(stage);
        const [record] = eventsOf(stage, 'agent-spawned');
        const see = thinksAfterCall(before) ? 'all' : siblings;
        expect(record?.fork?.siblings).toBe(see);
        expectIdentity(stage.sim, parent, forks, 2, see);
        for (const [first] of forkRequests(stage.sim).values()) expectSuffix(parent, first as SimRequest, see);
        await session.close();
        await stage.sim.close();
      }),
      { numRuns: 25 },
    );
  });
});

/** Of what a reply has before its forks. */
function thinksAfterCall(before: readonly ReplyBlock[]): boolean {
  const kinds = before.map((block) => (typeof block === 'string' ? 'text' : 'tool' in block ? 'call' : 'thinking'));
  return kinds.lastIndexOf('thinking') > kinds.indexOf('call') && kinds.includes('call');
}

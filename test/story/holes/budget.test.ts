/** LC-17: a compaction is a request like any other: it is paid for, and not sent when it could go over the budget. */

import { expect, it } from 'vitest';
import { inputTokens } from '../../../src/protocol/usage.js';
import type { Rule } from '../../../src/sim/index.js';
import { eventsOf, faultLines, readingTool, type Stage, setStage } from '../../support/story.js';

const MODEL = 'claude-opus-5-5';

async function smallStage(rules: readonly Rule[]): Promise<Stage> {
  const stage = await setStage(rules);
  await stage.settings({ models: { [MODEL]: { context: 60_000, maxOutput: 4_000 } } });
  return stage;
}

const big = readingTool('Big', async () => 'x '.repeat(12_000));

/** By the model's own count. */
function usedTokens({ sim }: Stage): number {
  return sim.requests.reduce((sum, { usage }) => {
    const read = (usage?.cache_read_input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0);
    return sum + (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0) + read;
  }, 0);
}

it.each([
  [240_000, 0],
  [300_000, 1],
])('LC-17: with --max-tokens %i there is room for %i compactions, and no more is used', async (limit, compactions) => {
  const stage = await smallStage([
    { when: { user: '<compaction>' }, reply: 'summary' },
    { reply: ['again', { tool: 'Big' }] },
  ]);
  const session = await stage.open({ maxTokens: limit, tools: [big] });
  expect(await session.send('go')).toMatchObject({
    reason: 'max_tokens',
    line: expect.stringContaining('--max-tokens'),
  });
  expect(usedTokens(stage)).toBeLessThanOrEqual(limit);
  expect(stage.sim.requests.filter(({ raw }) => raw.includes('<compaction>'))).toHaveLength(compactions);
});

it('LC-17: tries of a compaction that come to nothing are reported, and paid', async () => {
  const stage = await smallStage([
    { when: { user: '<compaction>' }, fault: { kind: 'disconnect', at: 3, times: 1 }, reply: 'summary' },
    { when: { said: 'summary' }, reply: 'done' },
    { reply: ['again', { tool: 'Big' }] },
  ]);
  const session = await stage.open({ tools: [big] });
  const end = await session.send('go');
  expect(end.reason).toBe('completed');
  const [discarded] = eventsOf(stage, 'response-discarded');
  expect(discarded?.usage.cacheRead).toBeGreaterThan(10_000);
  expect(faultLines(stage)).toHaveLength(1);
  // What the model was sent, by its own count; what it said before the cut only the model knows.
  const sent = stage.sim.requests.reduce((sum, { usage }) => sum + (usage?.output_tokens ?? 0), -usedTokens(stage));
  expect(inputTokens(end.usage)).toBe(-sent);
});

/** Totals of agents: usage, cost, savings by the cache; and the shape of the tree. */

import { expect, it } from 'vitest';
import { CostRate } from '../../../../../src/front/tui/panels/tree-panel.js';
import { agentLabel } from '../../../../../src/front/view/tree/agent-label.js';
import { TaskTree } from '../../../../../src/front/view/tree/task-tree.js';
import { AgentUsageTotals, cacheShare } from '../../../../../src/front/view/tree/usage-totals.js';
import { NO_USAGE } from '../../../../../src/protocol/usage.js';
import { agent, OPUS, shell, used, viewOf } from './sample-view.js';

it('TU-31: the savings are the cost of the input without the cache, less its actual cost', () => {
  // Opus: $4 a million in, $20 out, $0.20 from the cache, $5 and $8 into it.
  const million = 1_000_000;
  const totals = new AgentUsageTotals({}).of(
    agent('a', used({ cacheRead: 9 * million, cacheWrite5m: million, output: million })),
  );
  expect(totals).toMatchObject({ input: 10 * million, cacheRead: 9 * million, output: million, isPriced: true });
  expect(totals.cost).toBeCloseTo(9 * 0.2 + 5 + 20);
  expect(totals.saved).toBeCloseTo(10 * 4 - 9 * 0.2 - 5);
  expect(cacheShare(totals)).toBe(0.9);
});

it('TU-31: a cache that was written and not read has negative savings', () => {
  const totals = new AgentUsageTotals({}).of(agent('a', used({ cacheWrite1h: 1_000_000 })));
  expect(totals.saved).toBeCloseTo(4 - 8);
});

it('TU-3: each model has its own price; one without a price leaves the sum open', () => {
  const usage = { ...NO_USAGE, input: 1_000_000 };
  const usageByModel = new Map([OPUS, 'claude-haiku-5-5', 'mystery'].map((model) => [model, usage]));
  const both = new AgentUsageTotals({}).of(agent('a', { usageByModel }));
  expect([both.cost, both.isPriced]).toEqual([4.1, false]);
  const models = {
    models: { mystery: { prices: { input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 } } },
  };
  const priced = new AgentUsageTotals(models).of(agent('a', { usageByModel }));
  expect([priced.cost, priced.isPriced]).toEqual([5.1, true]);
});

it('TU-32: a change of totals keeps the shape of the tree, a change of state changes it', () => {
  const tree = new TaskTree({});
  const others = Array.from({ length: 200 }, (_, index) => agent(`a${index}`));
  tree.update(viewOf(others));
  const { shape } = tree;
  tree.update(
    viewOf([...others.slice(1), agent('a0', { turns: 3, signAt: 5, coming: 'text', ...used({ output: 9 }) })]),
  );
  expect([tree.shape, tree.whole().totals.output]).toEqual([shape, 9]);
  tree.update(viewOf([...others.slice(1), agent('a0', { status: 'completed' })]));
  expect(tree.shape).toBe(shape + 1);
  expect(tree.whole().counts).toMatchObject({ running: 199, done: 1 });
});

it('a task that leaves the view leaves the tree; an orphan is shown at the top', () => {
  const tree = new TaskTree({});
  tree.update(viewOf([agent('a'), agent('b', { parent: 'a' })], [shell('s', { owner: 'b' })]));
  expect(tree.childrenOf('main').map(({ id }) => id)).toEqual(['a']);
  tree.update(viewOf([agent('b', { parent: 'a' })]));
  expect(tree.childrenOf('main').map(({ id }) => id)).toEqual(['b']);
  expect(tree.size).toBe(1);
});

it('TU-6: the cost per minute is that of the last minute', () => {
  const rate = new CostRate();
  rate.take(0, 1);
  expect(rate.perMinute).toBeUndefined();
  rate.take(30_000, 2);
  expect(rate.perMinute).toBe(2);
  for (let at = 31_000; at <= 200_000; at += 1_000) rate.take(at, 2);
  expect(rate.perMinute).toBe(0);
});

it('TU-30: an agent is labelled by its name, else by its type and the start of its id', () => {
  expect(agentLabel({ id: 'a7f3bc', type: 'fork', name: 'auth' })).toBe('auth');
  expect(agentLabel({ id: 'a7f3bc', type: 'fork' })).toBe('fork-a7f3');
  expect(agentLabel({ id: 'a7f3bc', type: 'fork', name: ' \u001b[1m\n ' })).toBe('fork-a7f3');
});

import { describe, expect, it } from 'vitest';
import { chooseSiblings, type ReplySizes, siblingCosts } from '../../../../src/agents/fork/choose-siblings.js';
import fc from '../../../support/fast-check.js';

const prices = { input: 10, output: 50, cacheRead: 1, cacheWrite5m: 12.5, cacheWrite1h: 20 };
const priced = { model: { cacheMinimum: 1_000, prices }, lifetime: '5m' } as const;

/** Forks of one reply, each with a call of so many tokens, after words of so many. */
function sizes(forks: number, call: number, before: number, more: Partial<ReplySizes> = {}): ReplySizes {
  return {
    cached: 0,
    before,
    whole: before + forks * call,
    calls: Array.from({ length: forks }, () => call),
    directives: 0,
    thinksAfterCall: false,
    ...more,
  };
}

describe('what forks see of each other', () => {
  it('FK-26: the costs: one pays for what all share and the others read it, or each pays for its own', () => {
    const costs = siblingCosts(sizes(8, 500, 1_000, { cached: 10_000, directives: 4_000 }), priced);
    const inBoth = 8 * 10_000 * 1 + 4_000 * 12.5;
    expect(costs.all * 1e6).toBeCloseTo(inBoth + 5_000 * 12.5 + 7 * 5_000 * 1);
    expect(costs.own * 1e6).toBeCloseTo(inBoth + 8 * 1_500 * 12.5);
  });

  it('FK-26: what is too small to be cached is paid by each', () => {
    const costs = siblingCosts(sizes(3, 300, 50), priced);
    expect(costs.all * 1e6).toBeCloseTo(3 * 950 * 12.5);
    expect(costs.own * 1e6).toBeCloseTo(3 * 350 * 12.5);
  });

  it('FK-26: auto takes the cheaper: own for many calls, all for long text before the calls', () => {
    expect(chooseSiblings('auto', sizes(8, 130, 0), priced)).toBe('own');
    expect(chooseSiblings('auto', sizes(200, 2_000, 500), priced)).toBe('own');
    expect(chooseSiblings('auto', sizes(8, 130, 4_000), priced)).toBe('all');
    expect(chooseSiblings('auto', sizes(2, 2_000, 20_000), priced)).toBe('all');
  });

  it('FK-26: within 5 % it takes what starts sooner', () => {
    // The conversation that all read makes the difference small.
    const near = sizes(8, 130, 300, { cached: 100_000 });
    const { all, own } = siblingCosts(near, priced);
    expect(own).toBeGreaterThan(all);
    expect(own).toBeLessThan(all * 1.05);
    expect(chooseSiblings('auto', near, priced)).toBe('own');
    expect(chooseSiblings('auto', { ...near, cached: 0 }, priced)).toBe('all');
  });

  it('FK-26: nobody waits for a single fork: the cheaper is taken, all where they are the same', () => {
    expect(chooseSiblings('auto', sizes(1, 2_000, 100), priced)).toBe('all');
    expect(chooseSiblings('auto', sizes(1, 2_000, 100, { whole: 9_000 }), priced)).toBe('own');
  });

  it('FK-26, FK-14: never their own where thinking follows the first call', () => {
    for (const setting of ['auto', 'own'] as const) {
      expect(chooseSiblings(setting, sizes(8, 130, 0, { thinksAfterCall: true }), priced)).toBe('all');
    }
  });

  it('FK-26: the setting decides; the lifetime and the model’s own prices apply', () => {
    const long = sizes(8, 130, 4_000);
    expect(chooseSiblings('own', long, priced)).toBe('own');
    expect(chooseSiblings('all', sizes(8, 130, 0), priced)).toBe('all');
    const hour = siblingCosts(long, { ...priced, lifetime: '1h' });
    expect(hour.own * 1e6).toBeCloseTo(8 * 4_130 * 20);
    const unknown = { model: { cacheMinimum: 1_000 }, lifetime: '5m' } as const;
    expect(chooseSiblings('auto', long, unknown)).toBe('all');
    // Where reading costs as much as writing, nothing is gained by sharing.
    const flat = { ...priced, model: { cacheMinimum: 1_000, prices: { ...prices, cacheRead: 12.5 } } };
    expect(chooseSiblings('auto', long, flat)).toBe('own');
  });

  it('FK-26: auto never pays more than 5 % above the cheaper', () => {
    const tokens = fc.integer({ min: 1, max: 20_000 });
    const forks = fc.integer({ min: 1, max: 300 });
    fc.assert(
      fc.property(forks, tokens, tokens, tokens, (count, call, before, cached) => {
        const reply = sizes(count, call, before, { cached, directives: count * call });
        const costs = siblingCosts(reply, priced);
        const chosen = costs[chooseSiblings('auto', reply, priced)];
        expect(chosen).toBeLessThanOrEqual(Math.min(costs.all, costs.own) * 1.05 + 1e-9);
      }),
    );
  });
});

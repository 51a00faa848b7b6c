/** LC-17: the budget of a session: what is spent and what is reserved never goes over it. */

import { describe, expect, it } from 'vitest';
import { Budget, type BudgetLimits, childBudget, type Reservation } from '../../../src/loop/budget.js';
import { costOf, type ModelData } from '../../../src/model/models.js';
import { NO_USAGE, type Usage } from '../../../src/protocol/usage.js';
import fc from '../../support/fast-check.js';

const FREE: ModelData = {
  id: 'free',
  context: 200_000,
  maxOutput: 32_000,
  cacheMinimum: 0,
  keepsThinking: true,
  thinking: 'none',
};
/** A million tokens written to the cache cost a dollar, as many out two. */
const MODEL: ModelData = {
  ...FREE,
  id: 'm',
  prices: { input: 0.8, output: 2, cacheRead: 0.08, cacheWrite5m: 1, cacheWrite1h: 1.6 },
};
const MILLION = 1_000_000;

const never = new AbortController().signal;

async function reserve(account: Budget, input: number, output: number, model = MODEL): Promise<Reservation> {
  const reserved = await account.reserve(model, input, output, never);
  if (!reserved.ok) throw new Error(`refused: ${reserved.limit}`);
  return reserved.reservation;
}

/** What it says at once; undefined while it waits for others to end. */
async function atOnce<T>(promise: Promise<T>): Promise<T | undefined> {
  let said: T | undefined;
  void promise.then((one) => {
    said = one;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return said;
}

const used = (input: number, output: number): Usage => ({ ...NO_USAGE, input, output });

describe('a budget', () => {
  it('LC-17: twenty at once never exceed it: requests in flight are included with their worst case, and the rest wait', async () => {
    const account = new Budget({ maxTokens: 1_000 });
    const asked = Array.from({ length: 20 }, () => account.reserve(MODEL, 90, 10, never));
    const first = await Promise.all(asked.map(atOnce));
    expect(first.map((one) => one?.ok)).toEqual(Array.from({ length: 20 }, (_, index) => index < 10 || undefined));
    // Those used half of what they had reserved: five more fit.
    for (const one of first) {
      if (!one?.ok) continue;
      one.reservation.spend(used(45, 5));
      one.reservation.release();
    }
    const second = await Promise.all(asked.slice(10).map(atOnce));
    expect(second.map((one) => one?.ok)).toEqual(Array.from({ length: 10 }, (_, index) => index < 5 || undefined));
    for (const one of second) {
      if (!one?.ok) continue;
      one.reservation.spend(used(90, 10));
      one.reservation.release();
    }
    // What is spent leaves no room: who waited is refused.
    expect(await Promise.all(asked.slice(15))).toEqual(
      Array.from({ length: 5 }, () => expect.objectContaining({ ok: false, limit: 'max_tokens' })),
    );
  });

  it('LC-17: a waiting request that is aborted stops waiting and reserves nothing', async () => {
    const account = new Budget({ maxTokens: 100 });
    const one = await reserve(account, 60, 0);
    const abort = new AbortController();
    const waiting = account.reserve(MODEL, 60, 0, abort.signal);
    expect(await atOnce(waiting)).toBeUndefined();
    abort.abort();
    expect(await waiting).toMatchObject({ ok: false, limit: 'max_tokens' });
    one.release();
    expect((await account.reserve(MODEL, 100, 0, never)).ok).toBe(true);
  });

  it.each<[string, BudgetLimits, number, number, ModelData, string | undefined]>([
    ['no limit', {}, MILLION, MILLION, MODEL, undefined],
    ['exactly the money', { maxUsd: 3 }, MILLION, MILLION, MODEL, undefined],
    ['a little more', { maxUsd: 3 }, MILLION, MILLION + 1, MODEL, 'max_usd'],
    ['exactly the tokens', { maxTokens: 10 }, 4, 6, MODEL, undefined],
    ['one token more', { maxTokens: 10 }, 5, 6, MODEL, 'max_tokens'],
    ['tokens before money', { maxTokens: 10, maxUsd: 0 }, 5, 6, MODEL, 'max_tokens'],
    ['a model without a price, limited by money', { maxUsd: 1_000 }, 1, 1, FREE, 'max_usd'],
    ['a model without a price, limited by tokens', { maxTokens: 2 }, 1, 1, FREE, undefined],
  ])('LC-17: allows or refuses: %s', async (_name, limits, input, output, model, limit) => {
    const account = new Budget(limits);
    expect(account.refuses(model, input, output)).toBe(limit);
    const reserved = await account.reserve(model, input, output, never);
    expect(reserved.ok ? undefined : reserved.limit).toBe(limit);
  });

  it('LC-17: input is priced at the highest price that can apply, in a part as in the whole', () => {
    const hour = new Budget({ maxUsd: 1.6, cacheLifetime: '1h' });
    for (const account of [hour, childBudget(hour, 1.6)]) {
      expect(account.refuses(MODEL, MILLION, 0)).toBeUndefined();
      expect(account.refuses(MODEL, MILLION + 1, 0)).toBe('max_usd');
    }
    const prices = { input: 3, output: 2, cacheRead: 4, cacheWrite5m: 1, cacheWrite1h: 1 };
    expect(new Budget({ maxUsd: 4 }).refuses({ ...MODEL, prices }, MILLION, 0)).toBeUndefined();
    expect(new Budget({ maxUsd: 3.9 }).refuses({ ...MODEL, prices }, MILLION, 0)).toBe('max_usd');
  });

  it('LC-17: a model without a price is refused under a limit in dollars, at any level', () => {
    const refusal = expect.stringMatching(/free has none\. Add one to your settings: \{"models": \{"free"/);
    expect(new Budget({ maxUsd: 1 }).refusesModel(FREE)).toEqual(refusal);
    expect(childBudget(new Budget(), 1).refusesModel(FREE)).toEqual(refusal);
    expect(new Budget({}, new Budget({ maxUsd: 1 })).refusesModel(FREE)).toEqual(refusal);
    expect(new Budget({ maxTokens: 1 }).refusesModel(FREE)).toBeUndefined();
    expect(new Budget({ maxUsd: 1 }).refusesModel(MODEL)).toBeUndefined();
  });

  it('LC-17: a refused request reserves nothing, and a query does not reserve', async () => {
    const account = new Budget({ maxTokens: 10 });
    for (let count = 0; count < 3; count += 1) {
      expect(account.refuses(MODEL, 5, 5)).toBeUndefined();
      expect((await account.reserve(MODEL, 6, 5, never)).ok).toBe(false);
    }
    expect((await account.reserve(MODEL, 5, 5, never)).ok).toBe(true);
  });

  it('LC-17: every attempt is charged, successful or not; releasing twice frees the reservation once', async () => {
    const account = new Budget({ maxTokens: 100 });
    const one = await reserve(account, 50, 30);
    one.spend(used(10, 0));
    one.spend(used(10, 5));
    const waiting = account.reserve(MODEL, 1, 0, never);
    expect(await atOnce(waiting)).toBeUndefined();
    one.release();
    one.release();
    one.release();
    const other = await waiting;
    if (other.ok) other.reservation.release();
    expect(account.refuses(MODEL, 75, 0)).toBeUndefined();
    expect(account.refuses(MODEL, 76, 0)).toBe('max_tokens');
  });

  it('LC-17: all kinds of input are added as tokens; money is computed by price', async () => {
    const usage: Usage = { input: 1, output: 2, cacheRead: 4, cacheWrite5m: 8, cacheWrite1h: 16 };
    const tokens = new Budget({ maxTokens: 31 });
    (await reserve(tokens, 0, 0)).spend(usage);
    expect([tokens.refuses(MODEL, 0, 0), tokens.refuses(MODEL, 1, 0)]).toEqual([undefined, 'max_tokens']);
    const cost = costOf(usage, MODEL) ?? 0;
    const money = new Budget({ maxUsd: cost + 1 });
    (await reserve(money, 0, 0)).spend(usage);
    expect([money.refuses(MODEL, MILLION - 1, 0), money.refuses(MODEL, MILLION + 1, 0)]).toEqual([
      undefined,
      'max_usd',
    ]);
  });
});

describe('a part of a budget', () => {
  it('LC-17: is spent, reserved and released in the whole, too', async () => {
    const whole = new Budget({ maxUsd: 10 });
    const part = childBudget(whole, 3);
    const one = await reserve(part, MILLION, 0);
    expect(await atOnce(part.reserve(MODEL, 2 * MILLION + 1, 0, never))).toBeUndefined();
    const inWhole = whole.reserve(MODEL, 9 * MILLION + 1, 0, never);
    expect(await atOnce(inWhole)).toBeUndefined();
    one.spend({ ...NO_USAGE, cacheWrite5m: MILLION });
    one.release();
    expect(await inWhole).toMatchObject({ ok: false, limit: 'max_usd' });
    expect(whole.refuses(MODEL, 9 * MILLION, 0)).toBeUndefined();
    expect(whole.refuses(MODEL, 9 * MILLION + 1, 0)).toBe('max_usd');
    expect(part.refuses(MODEL, 2 * MILLION + 1, 0)).toBe('max_usd');
  });

  it('LC-17: waits for the whole even if it has room itself; a sibling’s own reservations are ignored', async () => {
    const whole = new Budget({ maxTokens: 100, maxUsd: 10 });
    const [one, two] = [childBudget(whole, 5), childBudget(whole, 5)];
    await reserve(one, 60, 0);
    expect(await atOnce(two.reserve(MODEL, 60, 0, never))).toBeUndefined();
    expect((await two.reserve(MODEL, 40, 0, never)).ok).toBe(true);
  });

  it('LC-17: without a limit of its own, it is the whole itself', async () => {
    const whole = new Budget({ maxUsd: 1 });
    expect(childBudget(whole, undefined)).toBe(whole);
    expect(await childBudget(whole, 0).reserve(MODEL, 1, 0, never)).toMatchObject({ ok: false, limit: 'max_usd' });
  });
});

describe('the longest reply', () => {
  it.each<[string, Budget, number, number]>([
    ['without a limit: what is wanted', new Budget(), 32_000, 32_000],
    ['a quarter of the tokens', new Budget({ maxTokens: 40_000 }), 32_000, 10_000],
    ['a quarter of the money', new Budget({ maxUsd: 0.08 }), 32_000, 10_000],
    ['the smaller of both', new Budget({ maxUsd: 0.08, maxTokens: 20_000 }), 32_000, 5_000],
    ['never less than can say something', new Budget({ maxTokens: 10 }), 32_000, 1_024],
    ['but not more than is wanted', new Budget({ maxTokens: 10 }), 500, 500],
    ['of a part: the whole’s too', new Budget({ maxUsd: 1 }, new Budget({ maxTokens: 40_000 })), 32_000, 10_000],
  ])('LC-17: %s', (_name, account, wanted, limit) => {
    expect(account.replyLimit(MODEL, wanted)).toBe(limit);
  });

  it('LC-17: a model without a price is measured by tokens alone', () => {
    expect(new Budget({ maxUsd: 0.0001 }).replyLimit(FREE, 32_000)).toBe(32_000);
  });
});

it('LC-17: in any order of requests and ends, no limit is exceeded and none waits forever', async () => {
  const request = fc.record({
    part: fc.boolean(),
    input: fc.nat(400),
    output: fc.nat(400),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    turns: fc.nat(5),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 40 }), async (requests) => {
      const whole = new Budget({ maxTokens: 1_500 });
      const part = new Budget({ maxTokens: 700 }, whole);
      const spent = { whole: 0, part: 0 };
      await Promise.all(
        requests.map(async ({ part: inPart, input, output, share, turns }) => {
          const reserved = await (inPart ? part : whole).reserve(MODEL, input, output, never);
          if (!reserved.ok) return;
          for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
          const usage = used(Math.floor(input * share), Math.floor(output * share));
          reserved.reservation.spend(usage);
          reserved.reservation.release();
          spent.whole += usage.input + usage.output;
          if (inPart) spent.part += usage.input + usage.output;
          expect(spent.whole).toBeLessThanOrEqual(1_500);
          expect(spent.part).toBeLessThanOrEqual(700);
        }),
      );
    }),
  );
});

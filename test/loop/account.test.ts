/** LC-17: the budget of a session: what is spent and what is reserved never goes over it. */

import { describe, expect, it } from 'vitest';
import { Account, type AccountLimits, childAccount, type Reservation } from '../../src/loop/account.js';
import { costOf, type ModelData } from '../../src/model/models.js';
import { NO_USAGE, type Usage } from '../../src/protocol/usage.js';
import fc from '../support/fast-check.js';

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

function reserve(account: Account, input: number, output: number, model = MODEL): Reservation {
  const reserved = account.reserve(model, input, output);
  if (!reserved.ok) throw new Error(`refused: ${reserved.limit}`);
  return reserved.reservation;
}

const used = (input: number, output: number): Usage => ({ ...NO_USAGE, input, output });

describe('an account', () => {
  it('LC-17: twenty at once never go over: what is in flight counts with its worst case', () => {
    const account = new Account({ maxTokens: 1_000 });
    const reserved = Array.from({ length: 20 }, () => account.reserve(MODEL, 90, 10));
    expect(reserved.map(({ ok }) => ok)).toEqual(Array.from({ length: 20 }, (_, index) => index < 10));
    expect(reserved[10]).toEqual({ ok: false, limit: 'max_tokens' });
  });

  it.each<[string, AccountLimits, number, number, ModelData, string | undefined]>([
    ['no limit', {}, MILLION, MILLION, MODEL, undefined],
    ['exactly the money', { maxUsd: 3 }, MILLION, MILLION, MODEL, undefined],
    ['a little more', { maxUsd: 3 }, MILLION, MILLION + 1, MODEL, 'max_usd'],
    ['exactly the tokens', { maxTokens: 10 }, 4, 6, MODEL, undefined],
    ['one token more', { maxTokens: 10 }, 5, 6, MODEL, 'max_tokens'],
    ['tokens before money', { maxTokens: 10, maxUsd: 0 }, 5, 6, MODEL, 'max_tokens'],
    ['a model without a price', { maxUsd: 0 }, MILLION, MILLION, FREE, undefined],
  ])('LC-17: allows or refuses: %s', (_name, limits, input, output, model, limit) => {
    const account = new Account(limits);
    expect(account.refuses(model, input, output)).toBe(limit);
    const reserved = account.reserve(model, input, output);
    expect(reserved.ok ? undefined : reserved.limit).toBe(limit);
  });

  it('LC-17: what was refused reserves nothing, and to ask is not to reserve', () => {
    const account = new Account({ maxTokens: 10 });
    for (let count = 0; count < 3; count += 1) {
      expect(account.refuses(MODEL, 5, 5)).toBeUndefined();
      expect(account.reserve(MODEL, 6, 5).ok).toBe(false);
    }
    expect(account.reserve(MODEL, 5, 5).ok).toBe(true);
  });

  it('LC-17: every try is spent, whatever became of it; what was reserved is free once, however often it is released', () => {
    const account = new Account({ maxTokens: 100 });
    const one = reserve(account, 50, 30);
    one.spend(used(10, 0));
    one.spend(used(10, 5));
    expect(account.refuses(MODEL, 1, 0)).toBe('max_tokens');
    one.release();
    one.release();
    one.release();
    expect(account.refuses(MODEL, 75, 0)).toBeUndefined();
    expect(account.refuses(MODEL, 76, 0)).toBe('max_tokens');
  });

  it('LC-17: all kinds of input count as tokens; money is counted as it is priced', () => {
    const usage: Usage = { input: 1, output: 2, cacheRead: 4, cacheWrite5m: 8, cacheWrite1h: 16 };
    const tokens = new Account({ maxTokens: 31 });
    reserve(tokens, 0, 0).spend(usage);
    expect([tokens.refuses(MODEL, 0, 0), tokens.refuses(MODEL, 1, 0)]).toEqual([undefined, 'max_tokens']);
    const cost = costOf(usage, MODEL) ?? 0;
    const money = new Account({ maxUsd: cost + 1 });
    reserve(money, 0, 0).spend(usage);
    expect([money.refuses(MODEL, MILLION - 1, 0), money.refuses(MODEL, MILLION + 1, 0)]).toEqual([
      undefined,
      'max_usd',
    ]);
  });
});

describe('a part of an account', () => {
  it('LC-17: is spent and reserved in the whole too, and given back there', () => {
    const whole = new Account({ maxUsd: 10 });
    const part = childAccount(whole, 3);
    const one = reserve(part, MILLION, 0);
    expect([part.refuses(MODEL, 2 * MILLION + 1, 0), part.refuses(MODEL, 2 * MILLION, 0)]).toEqual([
      'max_usd',
      undefined,
    ]);
    expect([whole.refuses(MODEL, 9 * MILLION + 1, 0), whole.refuses(MODEL, 9 * MILLION, 0)]).toEqual([
      'max_usd',
      undefined,
    ]);
    one.spend({ ...NO_USAGE, cacheWrite5m: MILLION });
    one.release();
    expect(whole.refuses(MODEL, 9 * MILLION, 0)).toBeUndefined();
    expect(whole.refuses(MODEL, 9 * MILLION + 1, 0)).toBe('max_usd');
    expect(part.refuses(MODEL, 2 * MILLION + 1, 0)).toBe('max_usd');
  });

  it('LC-17: is refused what the whole has not, though it has it itself; siblings don’t count', () => {
    const whole = new Account({ maxTokens: 100, maxUsd: 10 });
    const [one, two] = [childAccount(whole, 5), childAccount(whole, 5)];
    reserve(one, 60, 0);
    expect(two.reserve(MODEL, 60, 0)).toEqual({ ok: false, limit: 'max_tokens' });
    expect(two.reserve(MODEL, 40, 0).ok).toBe(true);
  });

  it('LC-17: without a limit of its own is the whole itself', () => {
    const whole = new Account({ maxUsd: 1 });
    expect(childAccount(whole, undefined)).toBe(whole);
    expect(childAccount(whole, 0).reserve(MODEL, 1, 0)).toEqual({ ok: false, limit: 'max_usd' });
  });
});

describe('the longest reply', () => {
  it.each<[string, Account, number, number]>([
    ['without a limit: what is wanted', new Account(), 32_000, 32_000],
    ['a quarter of the tokens', new Account({ maxTokens: 40_000 }), 32_000, 10_000],
    ['a quarter of the money', new Account({ maxUsd: 0.08 }), 32_000, 10_000],
    ['the smaller of both', new Account({ maxUsd: 0.08, maxTokens: 20_000 }), 32_000, 5_000],
    ['never less than can say something', new Account({ maxTokens: 10 }), 32_000, 1_024],
    ['but not more than is wanted', new Account({ maxTokens: 10 }), 500, 500],
    ['of a part: the whole’s too', new Account({ maxUsd: 1 }, new Account({ maxTokens: 40_000 })), 32_000, 10_000],
  ])('LC-17: %s', (_name, account, wanted, limit) => {
    expect(account.replyLimit(MODEL, wanted)).toBe(limit);
  });

  it('LC-17: a model without a price is measured by tokens alone', () => {
    expect(new Account({ maxUsd: 0.0001 }).replyLimit(FREE, 32_000)).toBe(32_000);
  });
});

it('LC-17: whatever order requests come and end in, no limit is gone over by what they used', () => {
  const request = fc.record({
    part: fc.boolean(),
    input: fc.nat(400),
    output: fc.nat(400),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    endsAfter: fc.nat(5),
  });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 40 }), (requests) => {
      const whole = new Account({ maxTokens: 1_500 });
      const part = new Account({ maxTokens: 700 }, whole);
      const spent = { whole: 0, part: 0 };
      const open: { left: number; end: () => void }[] = [];
      for (const { part: inPart, input, output, share, endsAfter } of requests) {
        const reserved = (inPart ? part : whole).reserve(MODEL, input, output);
        if (reserved.ok) {
          const usage = used(Math.floor(input * share), Math.floor(output * share));
          const end = () => {
            reserved.reservation.spend(usage);
            reserved.reservation.release();
            spent.whole += usage.input + usage.output;
            if (inPart) spent.part += usage.input + usage.output;
          };
          open.push({ left: endsAfter, end });
        }
        for (const one of open.splice(0)) {
          if (one.left === 0) one.end();
          else open.push({ ...one, left: one.left - 1 });
        }
        expect(spent.whole).toBeLessThanOrEqual(1_500);
        expect(spent.part).toBeLessThanOrEqual(700);
      }
    }),
  );
});

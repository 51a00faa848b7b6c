import { describe, expect, it } from 'vitest';
import { type Member, takePlaceAgain } from '../../src/agents/live-agent.js';
import { Slots } from '../../src/agents/start/slots.js';

const never = new AbortController().signal;

/** As much of a member as its place needs. */
function memberWithoutPlace(): Member {
  return { parent: {}, place: undefined, abort: new AbortController() } as unknown as Member;
}

describe('a member’s place', () => {
  it('LC-16: several children that return at once bring back one place, not one each', async () => {
    const slots = new Slots(2);
    const others = [await slots.enter(never), await slots.enter(never)];
    const member = memberWithoutPlace();
    const returned = Promise.all([takePlaceAgain(member, slots), takePlaceAgain(member, slots)]);
    for (const place of others) place?.release();
    await returned;
    member.place?.release();
    const again = await Promise.race([
      Promise.all([slots.enter(never), slots.enter(never)]),
      new Promise((resolve) => setImmediate(() => resolve('a place was lost'))),
    ]);
    expect(again).not.toBe('a place was lost');
  });

  it('LC-16: one that has its place takes no other', async () => {
    const slots = new Slots(1);
    const member = memberWithoutPlace();
    await takePlaceAgain(member, slots);
    const { place } = member;
    await takePlaceAgain(member, slots);
    expect(member.place).toBe(place);
  });
});

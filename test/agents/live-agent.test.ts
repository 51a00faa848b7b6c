import { describe, expect, it } from 'vitest';
import { type Member, retakeSlot } from '../../src/agents/live-agent.js';
import { Slots } from '../../src/agents/start/slots.js';

const never = new AbortController().signal;

/** As much of a member as its slot needs. */
function memberWithoutPlace(): Member {
  return { parent: {}, slot: undefined, abort: new AbortController() } as unknown as Member;
}

describe('a member’s slot', () => {
  it('LC-16: several children that return at once bring back one slot, not one each', async () => {
    const slots = new Slots(2);
    const others = [await slots.enter(never), await slots.enter(never)];
    const member = memberWithoutPlace();
    const returned = Promise.all([retakeSlot(member, slots), retakeSlot(member, slots)]);
    for (const slot of others) slot?.release();
    await returned;
    member.slot?.release();
    const again = await Promise.race([
      Promise.all([slots.enter(never), slots.enter(never)]),
      new Promise((resolve) => setImmediate(() => resolve('a slot was lost'))),
    ]);
    expect(again).not.toBe('a slot was lost');
  });

  it('LC-16: one that has its slot takes no other', async () => {
    const slots = new Slots(1);
    const member = memberWithoutPlace();
    await retakeSlot(member, slots);
    const { slot } = member;
    await retakeSlot(member, slots);
    expect(member.slot).toBe(slot);
  });
});

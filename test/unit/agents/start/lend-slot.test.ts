/** LC-16: one that only waits for its children lends its slot, and gets one again before it goes on. */

import { describe, expect, it } from 'vitest';
import { Slots } from '../../../../src/agents/start/slots.js';
import { openFamily } from '../live-family.js';

const never = new AbortController().signal;
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** How many could enter now. */
async function free(slots: Slots): Promise<number> {
  const leaving = new AbortController();
  const entered = Array.from({ length: 10 }, () => slots.enter(leaving.signal));
  await tick();
  leaving.abort();
  const got = (await Promise.all(entered)).flatMap((slot) => slot ?? []);
  for (const slot of got) slot.release();
  return got.length;
}

async function working(slots: Slots) {
  const family = await openFamily();
  const { agent } = family.add(family.agent);
  agent.slot = await slots.enter(never);
  agent.lendSlot();
  return agent;
}

describe('an agent’s slot', () => {
  it('LC-16: is lent while all its open calls wait for children, and not before', async () => {
    const slots = new Slots(1);
    const { activity } = await working(slots);
    activity.callOpened();
    activity.callOpened();
    activity.waitBegan();
    expect(await free(slots)).toBe(0);
    activity.waitBegan();
    expect(await free(slots)).toBe(1);
  });

  it('LC-16: is lent also when the last call that worked has ended, and once only', async () => {
    const slots = new Slots(2);
    const agent = await working(slots);
    agent.activity.callOpened();
    agent.activity.callOpened();
    agent.activity.waitBegan();
    expect(await free(slots)).toBe(1);
    agent.activity.callClosed();
    expect(agent.slot).toBeUndefined();
    expect(await free(slots)).toBe(2);
    // Another child joins it: there is nothing left to lend.
    agent.activity.callOpened();
    agent.activity.waitBegan();
    expect(await free(slots)).toBe(2);
  });

  it('LC-16: is retaken before it continues, ahead of all new ones', async () => {
    const slots = new Slots(1);
    const agent = await working(slots);
    agent.activity.callOpened();
    agent.activity.waitBegan();
    const child = await slots.enter(never);
    const order: string[] = [];
    void slots.enter(never).then(() => order.push('new'));
    agent.activity.waitEnded();
    const back = agent.retakeSlot(slots).then(() => order.push('parent'));
    child?.release();
    await back;
    await tick();
    expect(order).toEqual(['parent']);
    expect(agent.slot).toBeDefined();
  });

  it('LC-16: several children that return at once bring back one slot, not one each', async () => {
    const slots = new Slots(2);
    const others = [await slots.enter(never), await slots.enter(never)];
    const family = await openFamily();
    const { agent } = family.add(family.agent);
    const returned = Promise.all([agent.retakeSlot(slots), agent.retakeSlot(slots)]);
    for (const slot of others) slot?.release();
    await returned;
    agent.slot?.release();
    expect(await free(slots)).toBe(2);
  });

  it('LC-16: one that has its slot takes no other; the main agent needs none', async () => {
    const slots = new Slots(1);
    const family = await openFamily();
    const { agent } = family.add(family.agent);
    await agent.retakeSlot(slots);
    const { slot } = agent;
    expect(slot).toBeDefined();
    await agent.retakeSlot(slots);
    expect(agent.slot).toBe(slot);
    await family.agent.retakeSlot(slots);
    expect(family.agent.slot).toBeUndefined();
  });

  it('LC-16: an agent stopped while it waits for its slot continues without, and can ask again', async () => {
    const slots = new Slots(1);
    const other = await slots.enter(never);
    const family = await openFamily();
    const { agent } = family.add(family.agent);
    const back = agent.retakeSlot(slots);
    agent.stop('person');
    await back;
    expect([agent.slot, agent.returning]).toEqual([undefined, undefined]);
    other?.release();
    expect(await free(slots)).toBe(1);
  });
});

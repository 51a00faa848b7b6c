import { describe, expect, it } from 'vitest';
import { type Slot, Slots } from '../../../../src/agents/start/slots.js';
import fc from '../../../support/fast-check.js';
import { turns } from '../../../support/until.js';

const never = new AbortController().signal;
describe('slots', () => {
  it('LC-16: so many work at a time; more wait in order', async () => {
    const slots = new Slots(2);
    const order: number[] = [];
    const layout: Slot[] = [];
    for (let n = 0; n < 5; n += 1) {
      void slots.enter(never).then((place) => {
        order.push(n);
        if (place) layout.push(place);
      });
    }
    await turns();
    expect(order).toEqual([0, 1]);
    expect(slots.queued).toBe(3);
    layout[0]?.release();
    layout[0]?.release();
    await turns();
    expect(order).toEqual([0, 1, 2]);
  });

  it('LC-16: they go in the order they were asked for, not in that in which they got ready', async () => {
    const slots = new Slots(1);
    const first = await slots.enter(never);
    const [one, two, three] = [slots.announce(), slots.announce(), slots.announce()];
    const order: number[] = [];
    for (const place of [three, one, two]) {
      void slots
        .enter(never, () => {}, place?.number)
        .then((entered) => {
          order.push(place?.number ?? 0);
          entered?.release();
        });
    }
    first?.release();
    await turns();
    expect(order).toEqual([one?.number, two?.number, three?.number]);
  });

  it('LC-16: a returning agent goes before all new ones', async () => {
    const slots = new Slots(1);
    const first = await slots.enter(never);
    const order: string[] = [];
    void slots.enter(never).then(() => order.push('new'));
    void slots.reenter(never).then(() => order.push('returning'));
    first?.release();
    await turns();
    expect(order).toEqual(['returning']);
  });

  it('LC-16: no more than 200 wait, including those being prepared', () => {
    const slots = new Slots(20, 200);
    const layout = Array.from({ length: 220 }, () => slots.announce());
    expect(layout.every((place) => place !== undefined)).toBe(true);
    expect(slots.announce()).toBeUndefined();
    layout[0]?.release();
    expect(slots.announce()).toBeDefined();
  });

  it('LC-16: one that leaves the queue takes nobody’s place', async () => {
    const slots = new Slots(1);
    const first = await slots.enter(never);
    const leaving = new AbortController();
    const left = slots.enter(leaving.signal);
    const stays = slots.enter(never);
    leaving.abort();
    expect(await left).toBeUndefined();
    first?.release();
    expect(await stays).toBeDefined();
  });

  it('LC-16: never more than the limit, and nobody waits for ever', async () => {
    const steps = fc.array(fc.constantFrom('enter', 'reenter', 'release', 'abort'), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (plan, limit) => {
        const slots = new Slots(limit);
        const held: Slot[] = [];
        const waiting: AbortController[] = [];
        let inside = 0;
        let open = 0;
        for (const step of plan) {
          if (step === 'release') {
            const place = held.shift();
            if (place) inside -= 1;
            place?.release();
          } else if (step === 'abort') waiting.pop()?.abort();
          else {
            const abort = new AbortController();
            waiting.push(abort);
            open += 1;
            void slots[step](abort.signal).then((place) => {
              open -= 1;
              if (!place) return;
              inside += 1;
              held.push(place);
            });
          }
          await turns();
          expect(inside).toBeLessThanOrEqual(limit);
          expect(open === 0 || inside === limit).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});

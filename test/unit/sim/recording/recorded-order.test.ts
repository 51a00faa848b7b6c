/** SF-12: events happen in recorded order, and nothing waits forever. */

import { describe, expect, it } from 'vitest';
import { type Activity, RecordedOrder } from '../../../../src/sim/recording/recorded-order.js';
import type { RecordedExchange, RecordedInput } from '../../../../src/sim/recording/recording.js';
import { until } from '../../../support/until.js';

const exchange = (started: number, ended: number): RecordedExchange => ({
  started,
  ended,
  request: { method: 'POST', path: '/v1/messages', headers: {}, body: {} },
  response: { status: 200, headers: {}, body: '' },
});

/** A clock that advances on demand. */
function setOrder(
  exchanges: RecordedExchange[],
  inputs: RecordedInput[] = [],
  activity: () => Activity = () => 'idle',
) {
  const sleepers: (() => void)[] = [];
  let ticks = 0;
  const sleep = () =>
    new Promise<void>((resolve) => {
      sleepers.push(resolve);
    });
  const order = new RecordedOrder({ exchanges, inputs, sleep, activity });
  const went: string[] = [];
  const note = (name: string, waiting: Promise<void>) => void waiting.then(() => went.push(name));
  const settle = async () => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  /** Until something continues, or this many ticks have passed. */
  const tick = async (most: number) => {
    const before = went.length;
    for (let count = 0; count < most && went.length === before; count += 1) {
      for (const wake of sleepers.splice(0)) wake();
      ticks += 1;
      await settle();
    }
    return ticks;
  };
  return { order, went, note, settle, tick };
}

describe('SF-12: the recorded order', () => {
  it('SF-12: an answer ends when all before it has happened', async () => {
    const { order, went, note, settle } = setOrder([exchange(1, 4), exchange(2, 3)]);
    note('four', order.before(4));
    note('three', order.before(3));
    order.happened(1);
    await settle();
    expect(went).toEqual([]);
    order.happened(2);
    await settle();
    expect(went).toEqual(['three']);
    order.happened(3);
    await settle();
    expect(went).toEqual(['three', 'four']);
  });

  it('SF-12: a request waits for the inputs it had, and an input for the request that did not have it', async () => {
    const inputs = [
      { input: 'notice a 1', to: 'main', at: 3 },
      { input: 'notice b 1', to: 'main', at: 5 },
    ];
    const { order, went, note, settle } = setOrder([exchange(1, 2), exchange(4, 6)], inputs);
    note('b', order.beforeInput('notice b 1', 'main'));
    note('turn', order.afterInputs('main', 4));
    note('other', order.afterInputs('child', 4));
    note('unknown', order.beforeInput('notice c 1', 'main'));
    order.happened(1);
    order.happened(2);
    await settle();
    expect(went).toEqual(['other', 'unknown']);
    order.inputCame('notice a 1', 'main');
    await settle();
    expect(went).toEqual(['other', 'unknown', 'turn']);
    order.happened(4);
    await settle();
    expect(went.at(-1)).toBe('b');
  });

  it('SF-12: an input that a request was too early for waits for that request, and for no other', async () => {
    const inputs = [{ input: 'message x', to: 'child', at: 3, after: 5 }];
    const { order, went, note, settle } = setOrder([exchange(1, 2), exchange(4, 6), exchange(5, 7)], inputs);
    note('message', order.beforeInput('message x', 'child'));
    note('turn', order.afterInputs('child', 5));
    order.happened(1);
    order.happened(2);
    await settle();
    expect(went).toEqual(['turn']);
    order.happened(5);
    await settle();
    expect(went).toEqual(['turn', 'message']);
  });

  it.each<[Activity, number]>([
    ['idle', 20],
    ['agents', 200],
  ])(
    'SF-12: when nothing happens any more (%s), the earliest continues, and missing events are skipped',
    async (now, ticks) => {
      const { order, went, note, tick } = setOrder([exchange(1, 4), exchange(2, 5), exchange(3, 6)], [], () => now);
      note('six', order.before(6));
      note('four', order.before(4));
      expect(await tick(10_000)).toBe(ticks);
      expect(went).toEqual(['four']);
      order.happened(4);
      order.happened(5);
      await until(() => went.length === 2);
    },
  );

  it('SF-12: an input waits for the end of the run it came after; nothing else does', async () => {
    const inputs = [
      { input: 'run ended', to: 'main', at: 3 },
      { input: 'notice a 1', to: 'main', at: 4 },
    ];
    const { order, went, note, settle } = setOrder([exchange(1, 2), exchange(5, 6)], inputs);
    note('notice', order.beforeInput('notice a 1', 'main'));
    note('four', order.before(4));
    order.happened(1);
    order.happened(2);
    await settle();
    expect(went).toEqual(['four']);
    order.runEnded('main');
    await settle();
    expect(went).toEqual(['four', 'notice']);
  });

  it('SF-12: while a call runs, it is waited for; at the end nothing is', async () => {
    const { order, went, note, tick, settle } = setOrder([exchange(1, 2)], [], () => 'calls');
    note('two', order.before(2));
    await tick(5_000);
    expect(went).toEqual([]);
    order.end();
    await settle();
    expect(went).toEqual(['two']);
    note('late', order.before(2));
    await settle();
    expect(went).toEqual(['two', 'late']);
  });

  it('SF-12: who leaves waits no longer', async () => {
    const { order, went, note, settle } = setOrder([exchange(1, 2)]);
    const leaving = new AbortController();
    note('two', order.before(2, leaving.signal));
    leaving.abort();
    await settle();
    expect(went).toEqual(['two']);
  });

  it('SF-12: a run that continues with its inputs does not wait for inputs after its next request', async () => {
    const inputs = [
      { input: 'notice a 1', to: 'main', at: 2 },
      { input: 'notice b 1', to: 'main', at: 5 },
      { input: 'run ended', to: 'main', at: 8 },
    ];
    const { order, went, note, settle } = setOrder([exchange(1, 3), exchange(4, 6)], inputs);
    order.happened(1);
    order.inputCame('notice a 1', 'main');
    order.happened(3);
    note('end', order.beforeRunEnd('main', 4));
    await settle();
    expect(went).toEqual(['end']);
    order.happened(4);
    note('last', order.beforeRunEnd('main', undefined));
    await settle();
    expect(went).toEqual(['end']);
    order.inputCame('notice b 1', 'main');
    await settle();
    expect(went).toEqual(['end', 'last']);
  });
});

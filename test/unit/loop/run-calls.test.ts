/** The calls of one reply: which run together, and in which order their results are told. */

import { expect, it } from 'vitest';
import { call, LoopStage, reply } from './loop-stage.js';
import { changeTool, lookTool, Moment } from './small-tools.js';

/** Tools whose calls end when the test says so; what is under way is kept. */
class HeldCalls {
  readonly underWay: string[] = [];
  readonly begun: string[] = [];
  readonly #ends = new Map<string, Moment>();

  readonly run = async (_input: unknown, { callId }: { readonly callId: string }): Promise<string> => {
    this.begun.push(callId);
    this.underWay.push(callId);
    const end = new Moment();
    this.#ends.set(callId, end);
    await end.wait();
    this.underWay.splice(this.underWay.indexOf(callId), 1);
    return `saw ${callId}`;
  };

  end(...calls: readonly string[]): void {
    for (const id of calls) this.#ends.get(id)?.come();
  }
}

it('LC-22: results are recorded as they arrive and reported in the order of the calls', async () => {
  const held = new HeldCalls();
  const stage = new LoopStage([reply(call('a'), call('b'), call('c')), reply('done')], {
    tools: [lookTool(held.run)],
  });
  const work = stage.say('go');
  for (const id of ['c', 'a', 'b']) {
    await stage.clock.settle();
    held.end(id);
  }
  expect((await work).reason).toBe('completed');
  expect(stage.records.filter((record) => record.startsWith('call-finished'))).toEqual([
    'call-finished c',
    'call-finished a',
    'call-finished b',
  ]);
  expect(stage.model.sent[1]?.at(-1)).toBe('user: a=saw a b=saw b c=saw c');
});

it('LC-22: adjacent read-only calls run in parallel, any other alone, in order', async () => {
  const held = new HeldCalls();
  const calls = [call('a'), call('b'), call('c', 'Change'), call('d', 'Change'), call('e'), call('f')];
  const stage = new LoopStage([reply(...calls), reply('done')], {
    tools: [lookTool(held.run), changeTool(held.run)],
  });
  const work = stage.say('go');
  const groups: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    await stage.clock.settle();
    groups.push(held.underWay.join(' '));
    held.end(...held.underWay);
  }
  expect((await work).reason).toBe('completed');
  expect(groups).toEqual(['a b', 'c', 'd', 'e f']);
});

it('LC-22: at most ten at once; the next begins when one ends, and calls that wait for a child are exempt', async () => {
  const held = new HeldCalls();
  const ids = Array.from({ length: 12 }, (_, n) => `look-${n}`);
  const child = { ...lookTool(held.run, 'Child'), startsChild: true };
  const calls = [call('child-1', 'Child'), ...ids.map((id) => call(id)), call('child-2', 'Child')];
  const stage = new LoopStage([reply(...calls), reply('done')], { tools: [lookTool(held.run), child] });
  const work = stage.say('go');
  await stage.clock.settle();
  expect(held.begun).toEqual(expect.arrayContaining(['child-1', 'child-2', ...ids.slice(0, 10)]));
  expect(held.begun).toHaveLength(12);
  held.end('look-3');
  await stage.clock.settle();
  expect(held.begun.at(-1)).toBe('look-10');
  expect(held.begun).toHaveLength(13);
  for (let round = 0; round < 3; round += 1) {
    held.end(...held.underWay);
    await stage.clock.settle();
  }
  expect((await work).reason).toBe('completed');
  expect(stage.model.sent[1]?.at(-1)).toBe(
    `user: ${['child-1', ...ids, 'child-2'].map((id) => `${id}=saw ${id}`).join(' ')}`,
  );
});

it('LC-22: a denied call neither delays the others nor loses its position', async () => {
  const stage = new LoopStage([reply(call('a'), call('b'), call('c')), reply('done')], {
    tools: [lookTool()],
    decide: ({ id }) =>
      id === 'b' ? { behavior: 'deny', by: 'rule', reason: 'not b' } : { behavior: 'allow', by: 'test' },
  });
  await stage.say('go');
  expect(stage.model.sent[1]?.at(-1)).toBe('user: a=seen b!Permission denied: not b c=seen');
});

it('DU-4, LC-22: if a result can not be saved, parallel calls end with the run and none begins after it', async () => {
  const ended: string[] = [];
  const begun: string[] = [];
  const run = async (
    _input: unknown,
    { callId, signal }: { readonly callId: string; readonly signal: AbortSignal },
  ) => {
    begun.push(callId);
    if (callId === 'c0') return 'lost';
    if (!signal.aborted) await new Promise((done) => signal.addEventListener('abort', done, { once: true }));
    await Promise.resolve();
    ended.push(callId);
    return 'late';
  };
  const calls = Array.from({ length: 12 }, (_, index) => call(`c${index}`));
  const stage = new LoopStage([reply(...calls), reply('never')], { tools: [lookTool(run)] });
  stage.log.refuses = (event) => event.kind === 'call-finished' && event.call === 'c0';
  await expect(stage.say('go')).rejects.toThrow('could not be saved');
  expect(ended).toEqual(begun.filter((id) => id !== 'c0'));
  expect(begun).toHaveLength(10);
  const records = stage.records.length;
  await stage.clock.settle();
  expect(stage.records).toHaveLength(records);
});

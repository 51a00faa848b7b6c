/** LC-10: one inbox for everything that reaches an agent; a run ends by closing it, and nothing falls in between. */

import { expect, it } from 'vitest';
import { text } from '../../../src/protocol/blocks.js';
import { createEmit, Listeners } from '../../../src/session/emit.js';
import { Inbox, type Input } from '../../../src/session/inbox.js';
import { type Admitted, createState } from '../../../src/session/state/agent-state.js';
import fc from '../../support/fast-check.js';
import { SlowDisk } from './slow-disk.js';

function stage() {
  const disk = new SlowDisk();
  const state = createState();
  const emit = createEmit({ agent: 'a', state, log: disk, listeners: new Listeners() });
  const inbox = new Inbox(state, emit);
  const record = async (inputs: readonly Admitted[], kind: 'joined' | 'withdrawn') => {
    const seqs = inputs.map(({ seq }) => seq);
    if (seqs.length === 0) return [];
    const saved = emit(
      kind === 'joined' ? { kind: 'message-joined', from: seqs } : { kind: 'input-withdrawn', inputs: seqs },
    );
    const [done] = await Promise.allSettled([saved, disk.sync()]);
    return done.status === 'fulfilled' ? seqs : [];
  };
  return {
    disk,
    state,
    inbox,
    /** As the loop takes what waits, and as an agent that has ended passes on its notices: by a record. */
    take: () => record(state.pending, 'joined'),
    takeNotices: () => record(inbox.notices(), 'withdrawn'),
  };
}

const message = (key: string): Input => ({ origin: 'message', key });
const notice: Input = { origin: 'notice', key: { agent: 'k', run: 1 } };

it('LC-10: pending input keeps a run from ending; input after the end is refused and not written', async () => {
  const { disk, inbox, take } = stage();
  const coming = inbox.admit(message('1'), [text('just in time')]);
  expect(inbox.tryClose()).toBe(false);
  const arrival = inbox.arrival(new AbortController().signal);
  await disk.sync();
  await arrival;
  expect(await coming).toBe(true);
  expect(inbox.tryClose()).toBe(false);
  expect(await take()).toHaveLength(1);
  expect(inbox.tryClose()).toBe(true);
  expect(await inbox.admit(message('2'), [text('too late')])).toBe(false);
  expect(disk.written.map(({ kind }) => kind)).toEqual(['input-admitted', 'message-joined']);
  inbox.open();
  const again = inbox.admit(message('3'), [text('next run')]);
  await disk.sync();
  expect(await again).toBe(true);
});

it('LC-10: a reminder needs no answer and does not keep a run from ending', async () => {
  const { disk, inbox } = stage();
  const coming = inbox.admit({ origin: 'reminder', key: '1' }, [text('by the way')]);
  expect(inbox.tryClose()).toBe(true);
  inbox.open();
  await disk.sync();
  await coming;
  expect(inbox.asks).toBe(false);
  expect(inbox.tryClose()).toBe(true);
});

it('LC-9: after a forced close, pending input still arrives, and its notices can be taken for the parent', async () => {
  const { disk, state, inbox, takeNotices } = stage();
  const coming = inbox.admit(notice, [text('<n/>')]);
  const hello = inbox.admit(message('1'), [text('hello')]);
  inbox.close();
  expect(inbox.notices()).toEqual([]);
  const landed = inbox.landed();
  await disk.sync();
  await landed;
  expect([await coming, await hello]).toEqual([true, true]);
  expect(inbox.notices()).toMatchObject([{ notice: { agent: 'k', run: 1 } }]);
  expect(await takeNotices()).toEqual([1]);
  expect(state.pending).toMatchObject([{ origin: 'message' }]);
});

it('LC-9: unsaved input is nowhere; input that was not joined durably stays in its place', async () => {
  const { disk, state, inbox, take } = stage();
  disk.fail = true;
  const lost = inbox.admit(notice, [text('<n/>')]);
  await Promise.all([expect(lost).rejects.toThrow('disk full'), disk.sync()]);
  expect(inbox.asks).toBe(false);
  expect(inbox.tryClose()).toBe(true);
  inbox.open();
  disk.fail = false;
  const [first, second] = [inbox.admit(message('1'), [text('1')]), inbox.admit(message('2'), [text('2')])];
  await disk.sync();
  await Promise.all([first, second]);
  disk.fail = true;
  expect(await take()).toEqual([]);
  disk.fail = false;
  const third = inbox.admit(message('3'), [text('3')]);
  await disk.sync();
  await third;
  expect(state.pending.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(await take()).toEqual([1, 2, 3]);
});

it.each([
  ['a key', message('same')],
  ['a notice', notice],
])(
  'LC-9: under %s something is admitted once, however often it is tried, and again after a try that failed',
  async (_name, input) => {
    const { disk, state, inbox } = stage();
    const tryTwice = () => [1, 2].map(() => inbox.admit(input, [text('x')]));
    disk.fail = true;
    const failed = Promise.allSettled(tryTwice());
    await disk.sync();
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    disk.fail = false;
    const tries = tryTwice();
    await disk.sync();
    expect(await Promise.all([...tries, inbox.admit(input, [text('x')])])).toEqual([true, true, true]);
    expect(disk.written).toHaveLength(1);
    expect(state.pending).toHaveLength(1);
  },
);

it('LC-10: nothing but blank text admits nothing', async () => {
  const { disk, inbox } = stage();
  expect(await inbox.admit(message('1'), [text(' \n')])).toBe(true);
  expect(disk.written).toEqual([]);
});

it('LC-10: over any order of events, everything acknowledged is taken once, in order', async () => {
  const step = fc.constantFrom('admit', 'notice', 'sync', 'take', 'try-close', 'close', 'open', 'take-notices');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { disk, inbox, take, takeNotices } = stage();
      const acknowledged: Promise<boolean>[] = [];
      const joined: number[] = [];
      const passedOn: number[] = [];
      for (const [n, one] of steps.entries()) {
        if (one === 'admit') acknowledged.push(inbox.admit(message(`m${n}`), [text('m')]));
        if (one === 'notice')
          acknowledged.push(inbox.admit({ origin: 'notice', key: { agent: 'k', run: n } }, [text('n')]));
        if (one === 'sync') await disk.sync();
        if (one === 'take') joined.push(...(await take()));
        if (one === 'take-notices') passedOn.push(...(await takeNotices()));
        if (one === 'try-close') expect(inbox.tryClose() && inbox.asks).toBe(false);
        if (one === 'close') inbox.close();
        if (one === 'open') inbox.open();
      }
      await disk.sync();
      const told = (await Promise.all(acknowledged)).filter(Boolean).length;
      joined.push(...(await take()));
      const inputs = disk.written.flatMap(({ kind }, index) => (kind === 'input-admitted' ? [index + 1] : []));
      expect(told).toBe(inputs.length);
      expect(joined).toEqual([...joined].sort((a, b) => a - b));
      expect([...joined, ...passedOn].sort((a, b) => a - b)).toEqual(inputs);
    }),
    { numRuns: 300 },
  );
});

it('SF-12: delayed input is not admitted before its time, and refused if the inbox was closed meanwhile', async () => {
  const { disk, inbox, state } = stage();
  const waiting: (() => void)[] = [];
  inbox.holdBack = () => new Promise((resolve) => waiting.push(resolve));
  const first = inbox.admit(message('1'), [text('one')]);
  await disk.sync();
  expect(state.pending).toEqual([]);
  waiting.shift()?.();
  const [admitted] = await Promise.all([first, disk.sync()]);
  expect([admitted, state.pending.length]).toEqual([true, 1]);
  const second = inbox.admit(message('2'), [text('two')]);
  inbox.close();
  waiting.shift()?.();
  expect(await second).toBe(false);
});

it('TU-22: input that is being read can’t be withdrawn, and input that is being withdrawn is not read', async () => {
  const { disk, state, inbox } = stage();
  const landing = ['1', '2'].map((key) => inbox.admit({ origin: 'person', key }, [text(key)]));
  await disk.sync();
  await Promise.all(landing);
  const [first = 0, second = 0] = state.pending.map(({ seq }) => seq);
  const taking = inbox.takeBack(second);
  const read: number[] = [];
  const reading = inbox.read(async (inputs) => {
    read.push(...inputs);
    await disk.sync();
  });
  expect(await inbox.takeBack(first)).toMatchObject({ ok: false });
  await Promise.all([reading, disk.sync()]);
  expect(await taking).toMatchObject({ ok: true });
  expect(read).toEqual([first]);
  expect(state.pending.map(({ seq }) => seq)).toEqual([first]);
});

it('TU-22: held input needs no answer and does not keep a run from ending, until it is released', async () => {
  const { disk, inbox } = stage();
  const coming = inbox.admit({ origin: 'person', key: '1', held: true }, [text('later')]);
  expect(inbox.tryClose()).toBe(true);
  inbox.open();
  await disk.sync();
  await coming;
  expect([inbox.asks, inbox.hasUserMessage, inbox.holds(), inbox.holds(new Set(['2']))]).toEqual([
    false,
    false,
    true,
    false,
  ]);
  const releasing = inbox.release();
  await disk.sync();
  expect(await releasing).toBe(1);
  expect([inbox.asks, inbox.hasUserMessage, inbox.holds()]).toEqual([true, true, false]);
  expect(inbox.tryClose()).toBe(false);
});

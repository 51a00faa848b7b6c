/** LC-10: one inbox for everything that reaches an agent; a run ends by closing it, and nothing falls in between. */

import { expect, it } from 'vitest';
import { text } from '../../src/protocol/blocks.js';
import type { AgentEvent } from '../../src/protocol/events.js';
import type { Emit } from '../../src/session/emit.js';
import { Inbox } from '../../src/session/inbox.js';
import fc from '../support/fast-check.js';

type Disk = { readonly emit: Emit; readonly written: AgentEvent[]; sync(): Promise<void>; fail: boolean };

/** A disk that writes when it is told to. */
function slowDisk(): Disk {
  const waiting: (() => void)[] = [];
  const written: AgentEvent[] = [];
  const disk = {
    fail: false,
    written,
    sync: async () => {
      for (const write of waiting.splice(0)) write();
      await new Promise((resolve) => setImmediate(resolve));
    },
    emit: Object.assign(
      (event: AgentEvent) =>
        new Promise((resolve, reject) => {
          waiting.push(() => {
            if (disk.fail) return reject(new Error('disk full'));
            written.push(event);
            resolve(written.length);
          });
        }),
      { lastSeq: () => written.length },
    ) as Emit,
  };
  return disk;
}

const key = { agent: 'a', run: 1 };

it('LC-10: what is on its way keeps a run from ending; what comes after the end is refused and not written', async () => {
  const disk = slowDisk();
  const inbox = new Inbox(disk.emit);
  const coming = inbox.admit('message', [text('just in time')]);
  expect(inbox.tryClose()).toBe(false);
  const arrival = inbox.arrival(new AbortController().signal);
  await disk.sync();
  await arrival;
  expect(await coming).toBe(true);
  expect(inbox.tryClose()).toBe(false);
  expect(inbox.take()).toHaveLength(1);
  expect(inbox.tryClose()).toBe(true);
  expect(await inbox.admit('message', [text('too late')])).toBe(false);
  expect(disk.written).toHaveLength(1);
  inbox.open();
  const again = inbox.admit('message', [text('next run')]);
  await disk.sync();
  expect(await again).toBe(true);
});

it('LC-10: a reminder asks for no answer and keeps nobody from ending', async () => {
  const disk = slowDisk();
  const inbox = new Inbox(disk.emit);
  const coming = inbox.admit('reminder', [text('by the way')]);
  await disk.sync();
  await coming;
  expect(inbox.asks).toBe(false);
  expect(inbox.tryClose()).toBe(true);
});

it('LC-9: after a close by force, what was on its way arrives, and its notices can be taken for the parent', async () => {
  const disk = slowDisk();
  const inbox = new Inbox(disk.emit);
  const notice = inbox.admit('notice', [text('<n/>')], key);
  const message = inbox.admit('message', [text('hello')]);
  inbox.close();
  expect(inbox.takeNotices()).toEqual([]);
  const landed = inbox.landed();
  await disk.sync();
  await landed;
  expect([await notice, await message]).toEqual([true, true]);
  expect(inbox.takeNotices()).toMatchObject([{ notice: key }]);
  expect(inbox.take()).toMatchObject([{ origin: 'message' }]);
});

it('LC-9: what could not be saved is nowhere; what was taken and not used can be given back in its place', async () => {
  const disk = slowDisk();
  const inbox = new Inbox(disk.emit);
  disk.fail = true;
  const lost = inbox.admit('notice', [text('<n/>')], key);
  await Promise.all([expect(lost).rejects.toThrow('disk full'), disk.sync()]);
  expect(inbox.asks).toBe(false);
  expect(inbox.tryClose()).toBe(true);
  inbox.open();
  disk.fail = false;
  const [first, second] = [inbox.admit('message', [text('1')]), inbox.admit('message', [text('2')])];
  await disk.sync();
  await Promise.all([first, second]);
  const taken = inbox.take();
  const third = inbox.admit('message', [text('3')]);
  await disk.sync();
  await third;
  inbox.giveBack(taken);
  expect(inbox.take().map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

it('LC-10: over any order of events, everything acknowledged is taken once, in order', async () => {
  const step = fc.constantFrom('admit', 'notice', 'sync', 'take', 'try-close', 'close', 'open', 'take-notices');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const disk = slowDisk();
      const inbox = new Inbox(disk.emit);
      const acknowledged: Promise<boolean>[] = [];
      const taken: number[] = [];
      for (const one of steps) {
        if (one === 'admit') acknowledged.push(inbox.admit('message', [text('m')]));
        if (one === 'notice') acknowledged.push(inbox.admit('notice', [text('n')], key));
        if (one === 'sync') await disk.sync();
        if (one === 'take') taken.push(...inbox.take().map(({ seq }) => seq));
        if (one === 'take-notices') taken.push(...inbox.takeNotices().map(({ seq }) => seq));
        if (one === 'try-close') expect(inbox.tryClose() && inbox.asks).toBe(false);
        if (one === 'close') inbox.close();
        if (one === 'open') inbox.open();
      }
      await disk.sync();
      const told = (await Promise.all(acknowledged)).filter(Boolean).length;
      taken.push(...inbox.take().map(({ seq }) => seq));
      expect(told).toBe(disk.written.length);
      expect([...taken].sort((a, b) => a - b)).toEqual(disk.written.map((_, index) => index + 1));
    }),
    { numRuns: 300 },
  );
});

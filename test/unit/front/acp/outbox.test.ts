/** CL-8: what waits for a slow editor: joined, in order, complete, and no more than there is to show. */

import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { Outbox } from '../../../../src/front/acp/outbox.js';
import { chunk } from '../../../../src/front/acp/session-updates.js';

/** An editor that takes an update when it is let. */
function slowEditor() {
  const sent: SessionUpdate[] = [];
  const waiting: { take(): void; fail(): void }[] = [];
  const outbox = new Outbox(
    (update) =>
      new Promise((resolve, reject) => {
        sent.push(update);
        waiting.push({ take: resolve, fail: () => reject(new Error('gone')) });
      }),
  );
  const takeAll = async () => {
    for (;;) {
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
      const next = waiting.shift();
      if (next === undefined) return;
      next.take();
    }
  };
  return { sent, waiting, outbox, takeAll };
}

const said = (text: string) => chunk('agent_message_chunk', text);
const thought = (text: string) => chunk('agent_thought_chunk', text);
const state = (toolCallId: string, more: object): SessionUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  ...more,
});

describe('Outbox', () => {
  it('CL-8: joins text only with what is right before it, and keeps the order', async () => {
    const { sent, outbox, takeAll } = slowEditor();
    for (const one of [said('a'), said('b'), thought('t'), thought('u'), said('c'), said('d')]) outbox.push(one);
    await takeAll();
    expect(sent).toEqual([said('ab'), thought('tu'), said('cd')]);
  });

  it("CL-8: the state of a call takes up its older state, and no other call's", async () => {
    const { sent, outbox, takeAll } = slowEditor();
    outbox.push(state('1', { status: 'in_progress', rawInput: { x: 1 } }));
    outbox.push(state('2', { status: 'in_progress' }));
    outbox.push(said('between'));
    outbox.push(state('1', { status: 'completed' }));
    await takeAll();
    expect(sent).toEqual([
      state('1', { status: 'completed', rawInput: { x: 1 } }),
      state('2', { status: 'in_progress' }),
      said('between'),
    ]);
  });

  it('CL-8: is behind while a million characters wait, and not any more once they are taken', async () => {
    const { outbox, takeAll } = slowEditor();
    outbox.push(said('x'.repeat(900_000)));
    expect(outbox.behind()).toBeUndefined();
    outbox.push(said('x'.repeat(200_000)));
    const behind = outbox.behind();
    expect(behind).toBeInstanceOf(Promise);
    await takeAll();
    await behind;
    expect(outbox.behind()).toBeUndefined();
    outbox.push(said('x'.repeat(900_000)));
    expect(outbox.behind()).toBeUndefined();
  });

  it('CL-8: what was taken is not counted any more, while more still waits', async () => {
    const { outbox, waiting } = slowEditor();
    outbox.push(said('x'.repeat(900_000)));
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    outbox.push(thought('y'.repeat(300_000)));
    expect(outbox.behind()).toBeInstanceOf(Promise);
    waiting.shift()?.take();
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    expect(outbox.behind()).toBeUndefined();
  });

  it('CL-8: is flushed when all is taken, or nobody is there any more', async () => {
    const { sent, outbox, waiting } = slowEditor();
    outbox.push(said('a'));
    outbox.push(thought('b'));
    let flushed = false;
    const done = outbox.flushed().then(() => {
      flushed = true;
    });
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    expect(flushed).toBe(false);
    waiting.shift()?.fail();
    await done;
    expect(sent).toEqual([said('a')]);
  });
});

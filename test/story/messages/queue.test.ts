/** What the user sends while the agent works: read between its turns, after its run, or taken back. */

import { expect, it } from 'vitest';
import type { Session } from '../../../src/front/sdk/session.js';
import type { Rule } from '../../../src/sim/index.js';
import { type Gate, gate } from '../../support/gate.js';
import { eventsOf, expectAllAccepted, readTranscript, type Stage, setStage } from '../../support/story.js';
import { turns, until } from '../../support/until.js';
import { lastSent, wireText } from '../../support/wire-body.js';
import { die, expectNoneRefused } from '../durability/crash-stage.js';

/** The first prompt is answered when the gate opens; then each reply shows what it was asked last. */
async function busy(
  rules: readonly Rule[] = [],
): Promise<{ stage: Stage; session: Session; held: Gate; work: Promise<unknown> }> {
  const held = gate();
  let asked = 0;
  const stage = await setStage([
    ...rules,
    {
      reply: async () => {
        asked += 1;
        if (asked > 1) return 'heard';
        await held.opened;
        return 'begun';
      },
    },
  ]);
  const session = await stage.open();
  const work = session.send('begin');
  await stage.sim.received(1);
  return { stage, session, held, work };
}

/** The record of a message of the user, once it is there. */
async function queued(stage: Stage, words: string): Promise<number> {
  const find = () =>
    stage.events.find(({ event }) => event.kind === 'input-admitted' && JSON.stringify(textOf(event)).includes(words));
  await until(() => find() !== undefined, words);
  return find()?.seq ?? 0;
}

function textOf(event: { readonly blocks: readonly { readonly bytes: Uint8Array }[] }): string {
  return event.blocks.map(({ bytes }) => new TextDecoder().decode(bytes)).join('\n');
}

const say = (session: Session, content: string, when?: 'next' | 'after') =>
  session.execute({ type: 'prompt', content, ...(when === undefined ? {} : { when }) });

it('TU-22: what is held is taken on its own once the run has ended, after what was sent for the next turn', async () => {
  const { stage, session, held, work } = await busy();
  const after = say(session, 'THEN THE CHANGELOG', 'after');
  await queued(stage, 'CHANGELOG');
  const next = say(session, 'AND QUICKLY', 'next');
  await queued(stage, 'QUICKLY');
  expect(session.snapshot()).toHaveLength(1);
  held.open();
  expect(await after).toMatchObject({ reason: 'completed', text: 'heard' });
  expect(await next).toMatchObject({ reason: 'completed' });
  await work;
  const requests = stage.sim.requests.map(wireText);
  expect(requests).toHaveLength(3);
  expect(requests[1]).toContain('QUICKLY');
  expect(requests[1]).not.toContain('CHANGELOG');
  expect(requests[2]?.split('CHANGELOG')).toHaveLength(2);
  // Two runs: what is held begins one of its own.
  expect(eventsOf(stage, 'run-ended').map(({ reason }) => reason)).toEqual(['completed', 'completed']);
  expect(await session.execute({ type: 'send-held' })).toMatchObject({ ok: false });
  expectAllAccepted(stage.sim);
});

it('TU-22: an interrupt makes one new run of all that was sent for the next turn; what is held waits for Enter', async () => {
  const { stage, session, work } = await busy();
  const first = say(session, 'ONE', 'next');
  const second = say(session, 'TWO', 'next');
  const held = say(session, 'LATER', 'after');
  await Promise.all(['ONE', 'TWO', 'LATER'].map((words) => queued(stage, words)));
  await session.execute({ type: 'interrupt' });
  expect(await first).toMatchObject({ reason: 'completed', text: 'heard' });
  await Promise.all([second, held, work]);
  expect(stage.sim.requests).toHaveLength(2);
  expect(lastSent(stage.sim)).toMatch(/ONE.*TWO/s);
  expect(stage.sim.requests.map(wireText).join('\n')).not.toContain('LATER');
  expect(await session.execute({ type: 'send-held' })).toEqual({ ok: true, sent: 1 });
  await session.settled();
  expect(lastSent(stage.sim)).toContain('LATER');
  expectNoneRefused(stage.sim);
});

it('TU-22: after an interrupt alone what is held waits, until it is sent', async () => {
  const { stage, session, work } = await busy();
  const held = say(session, 'LATER', 'after');
  await queued(stage, 'LATER');
  await session.execute({ type: 'interrupt' });
  expect(await work).toMatchObject({ reason: 'interrupted' });
  expect(await held).toMatchObject({ reason: 'interrupted' });
  await turns(20);
  expect(stage.sim.requests).toHaveLength(1);
  const ended = new Promise<unknown>((resolve) => session.onWoken(resolve));
  expect(await session.execute({ type: 'send-held' })).toEqual({ ok: true, sent: 1 });
  expect(await ended).toMatchObject({ reason: 'completed', text: 'heard' });
  expect(lastSent(stage.sim)).toContain('LATER');
  expectNoneRefused(stage.sim);
});

it('TU-22: without a word about when, an interrupt leaves a message for the next prompt', async () => {
  const { stage, session, work } = await busy();
  const sent = say(session, 'ONE');
  await queued(stage, 'ONE');
  await session.execute({ type: 'interrupt' });
  expect(await work).toMatchObject({ reason: 'interrupted' });
  expect(await sent).toMatchObject({ reason: 'interrupted' });
  await turns(20);
  expect(stage.sim.requests).toHaveLength(1);
  await session.send('more');
  expect(lastSent(stage.sim)).toMatch(/ONE.*more/s);
});

it('TU-22: a message that is taken back is never read, and gives its words back', async () => {
  const { stage, session, held, work } = await busy();
  const sent = [say(session, 'NO, NOT THAT', 'next'), say(session, 'NOR THIS', 'after')];
  const input = await queued(stage, 'NOT THAT');
  const later = await queued(stage, 'NOR THIS');
  expect(await session.execute({ type: 'take-back', input })).toEqual({
    ok: true,
    content: [{ type: 'text', text: 'NO, NOT THAT' }],
  });
  expect(await session.execute({ type: 'take-back', input: later })).toMatchObject({ ok: true });
  expect(await session.execute({ type: 'take-back', input })).toMatchObject({ ok: false });
  expect(await session.execute({ type: 'take-back', input: 9_999 })).toMatchObject({ ok: false });
  expect(await session.execute({ type: 'take-back', input, agent: 'nobody' })).toMatchObject({ ok: false });
  held.open();
  await Promise.all([work, ...sent]);
  await session.send('and now');
  const all = stage.sim.requests.map(wireText).join('\n');
  expect(all).not.toContain('NOT THAT');
  expect(all).not.toContain('NOR THIS');
  expect((await session.prompts()).map(({ words }) => words)).toEqual(['begin', 'and now']);
  expectAllAccepted(stage.sim);
});

it('TU-22: what hooks added to a message goes with it', async () => {
  const { stage, held, ...more } = await busy();
  held.open();
  await more.work;
  const slow = gate();
  stage.sim.use([
    {
      when: { user: 'again' },
      reply: async () => {
        await slow.opened;
        return 'slowly';
      },
    },
    { reply: 'heard' },
  ]);
  await more.session.close();
  const session = await stage.open({
    hooks: {
      UserPromptSubmit: [
        { hooks: [() => ({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'ADDED' } })] },
      ],
    },
  });
  const work = session.send('again');
  await stage.sim.received(2);
  const sent = say(session, 'OOPS', 'next');
  const input = await queued(stage, 'OOPS');
  await until(
    () => stage.events.filter(({ event }) => event.kind === 'input-admitted' && event.origin === 'hook').length === 2,
  );
  expect(await session.execute({ type: 'take-back', input })).toMatchObject({ ok: true });
  slow.open();
  await Promise.all([work, sent]);
  expect(stage.sim.requests).toHaveLength(2);
});

it('TU-22: taken back at the very moment it is read, it is one of the two', async () => {
  const outcomes = new Set<string>();
  for (let round = 0; round < 24; round += 1) {
    const { stage, session, held, work } = await busy();
    const sent = say(session, 'PERHAPS', 'next');
    const input = await queued(stage, 'PERHAPS');
    const taken = new Promise<{ readonly ok: boolean }>((resolve) => {
      const take = () => resolve(session.execute({ type: 'take-back', input }));
      const unwatch = session.watch(({ agent, event }) => {
        const isTime =
          round % 3 === 0
            ? event.kind === 'assistant-replied'
            : round % 3 === 1
              ? event.kind === 'message-joined'
              : event.kind === 'response-began';
        if (agent !== 'main' || !isTime) return;
        unwatch();
        const later = Math.floor(round / 3);
        void turns(later).then(take);
        if (later === 0) take();
      });
    });
    held.open();
    const { ok } = await taken;
    await Promise.all([work, sent]);
    const wasRead = stage.sim.requests.some((request) => wireText(request).includes('PERHAPS'));
    expect(wasRead).toBe(!ok);
    const joined = (await readTranscript(session.transcript)).some(
      ({ event }) => event.kind === 'message-joined' && event.from.includes(input),
    );
    expect(joined).toBe(!ok);
    expectAllAccepted(stage.sim);
    outcomes.add(String(ok));
    await session.close();
  }
  expect([...outcomes].sort()).toEqual(['false', 'true']);
});

it('TU-22, DU-1: what is held survives a crash and is held still; what was taken back is not there', async () => {
  const { stage, session, held, work } = await busy();
  const sent = [say(session, 'LATER', 'after'), say(session, 'GONE', 'next')];
  await queued(stage, 'LATER');
  const gone = await queued(stage, 'GONE');
  expect(await session.execute({ type: 'take-back', input: gone })).toMatchObject({ ok: true });
  await die(stage, session, () => held.open());
  await Promise.all([work, ...sent]);
  const before = stage.sim.requests.length;
  const again = await stage.open({ resume: session.id });
  expect(again.past?.queue.map(({ held: isHeld, blocks }) => [isHeld, textOf({ blocks }).includes('LATER')])).toEqual([
    [true, true],
  ]);
  const ended = new Promise<unknown>((resolve) => again.onWoken(resolve));
  await turns(20);
  expect(stage.sim.requests).toHaveLength(before);
  expect(await again.execute({ type: 'send-held' })).toEqual({ ok: true, sent: 1 });
  await ended;
  expect(lastSent(stage.sim)).toContain('LATER');
  expect(stage.sim.requests.slice(before).map(wireText).join('\n')).not.toContain('GONE');
  expectNoneRefused(stage.sim);
});

it('TU-22, DU-23: going back to before a prompt does not bring back what was taken back', async () => {
  const { stage, session, held, work } = await busy();
  const sent = say(session, 'GONE', 'next');
  const gone = await queued(stage, 'GONE');
  const next = say(session, 'SECOND', 'next');
  await queued(stage, 'SECOND');
  expect(await session.execute({ type: 'take-back', input: gone })).toMatchObject({ ok: true });
  held.open();
  await Promise.all([work, sent, next]);
  expect(await session.rewind({ to: 2, part: 'conversation' })).toMatchObject({ ok: true });
  expect((await session.prompts()).map(({ words }) => words)).toEqual(['begin']);
  await session.send('anew');
  expect(lastSent(stage.sim)).not.toContain('GONE');
  expectAllAccepted(stage.sim);
});

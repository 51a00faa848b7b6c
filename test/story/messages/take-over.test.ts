/** The user talks to a child themselves, and hands it back. */

import { expect, it } from 'vitest';
import { eventsOf } from '../../support/story.js';
import { turns, until } from '../../support/until.js';
import { comparable, lastSent, wireText } from '../../support/wire-body.js';
import { callResults, noticesIn, statesOf } from '../background/background-stage.js';
import { die, expectNoneRefused } from '../durability/crash-stage.js';
import { withChild } from './take-over-stage.js';

it('LC-25, LC-3, TU-11: taken over, it goes to the background, waits after each turn, and continues when handed back', async () => {
  const { stage, session, work, held, kid, snapshot, kinds } = await withChild();
  expect(await session.execute({ type: 'take-over', agent: kid })).toEqual({ ok: true });
  expect(await work).toMatchObject({ text: 'main goes on' });
  expect(callResults(stage, 'Agent').join()).toContain(kid);
  expect(snapshot()).toMatchObject({ background: true, takenOver: true });
  expect(await session.execute({ type: 'take-over', agent: kid })).toMatchObject({ ok: false });
  held.open();
  await until(() => snapshot()?.status === 'waiting');
  expect(eventsOf(stage, 'result-made')).toEqual([]);
  expect(await session.execute({ type: 'message', agent: kid, text: 'AND IN BLUE' })).toEqual({ ok: true });
  await until(() => snapshot()?.turns === 2 && snapshot()?.status === 'waiting');
  expect(lastSent(stage.sim)).toContain('AND IN BLUE');
  expect(noticesIn(stage.events)).toEqual([]);

  expect(await session.execute({ type: 'hand-back', agent: kid })).toEqual({ ok: true });
  await session.settled();
  expect(snapshot()).toMatchObject({ status: 'completed', takenOver: false });
  // It was informed, and its result is what it says then.
  expect(noticesIn(stage.events).map(({ agent, run, text }) => [agent, run, text.includes('reply 3')])).toEqual([
    [kid, 1, true],
  ]);
  expect(await kinds()).toEqual(['agent-taken-over', 'agent-handed-back']);
  const main = stage.sim.requests.map(wireText).filter((raw) => !raw.includes('reply 1 of the child'));
  expect(main.at(-1)).toContain('talks to the agent');
  expect(await session.execute({ type: 'hand-back', agent: kid })).toMatchObject({ ok: false });
  expectNoneRefused(stage.sim);
});

it('LC-25: its parent gets one line each time, which wakes nobody and changes no bytes before it', async () => {
  const { stage, session, work, held, kid, snapshot } = await withChild();
  await session.execute({ type: 'take-over', agent: kid });
  await work;
  const before = stage.sim.requests.findLast((request) => wireText(request).includes('"begin"'));
  held.open();
  await until(() => snapshot()?.status === 'waiting');
  const sent = stage.sim.requests.length;
  await session.execute({ type: 'hand-back', agent: kid });
  await session.settled();
  const told = stage.events.flatMap(({ agent, event }) =>
    agent === 'main' && event.kind === 'input-admitted' && /over|handed/.test(event.key ?? '') ? [event.origin] : [],
  );
  expect(told).toEqual(['reminder', 'reminder']);
  // The one request since is for the notice of its end: nobody had said a word to it.
  expect(stage.sim.requests).toHaveLength(sent + 1);
  const after = stage.sim.requests.at(-1);
  if (before === undefined || after === undefined) throw new Error(stage.sim.report());
  expect(comparable(after).startsWith(comparable(before).slice(0, -1))).toBe(true);
  expect(wireText(after)).toMatch(/has handed the agent.*back/s);
  expect(noticesIn(stage.events).map(({ text }) => text.includes('reply 1'))).toEqual([true]);
});

it('LC-25, TU-23: to end its turn is not to end it: it waits for the user; stopping it stops it', async () => {
  const { session, work, kid, snapshot } = await withChild();
  await session.execute({ type: 'take-over', agent: kid });
  await work;
  await session.execute({ type: 'interrupt', agent: kid });
  await until(() => snapshot()?.status === 'waiting');
  await session.execute({ type: 'message', agent: kid, text: 'another way' });
  await until(() => snapshot()?.turns === 2 && snapshot()?.status === 'waiting');
  expect(await session.execute({ type: 'stop-task', task: kid })).toEqual({ ok: true });
  expect((await statesOf(session, kid)).at(-1)).toBe('stopped');
  await session.settled();
});

it('LC-25: handed back after its turn was ended, it continues with its task', async () => {
  const { stage, session, work, kid, snapshot } = await withChild();
  await session.execute({ type: 'take-over', agent: kid });
  await work;
  await session.execute({ type: 'interrupt', agent: kid });
  await until(() => snapshot()?.status === 'waiting');
  await session.execute({ type: 'hand-back', agent: kid });
  await session.settled();
  expect(snapshot()?.status).toBe('completed');
  expect(noticesIn(stage.events).map(({ text }) => text.includes('reply 2'))).toEqual([true]);
});

it('LC-25: left, it is interrupted and continues when the user says so; the next run is its own', async () => {
  const { stage, session, work, held, kid, snapshot } = await withChild();
  await session.execute({ type: 'take-over', agent: kid });
  held.open();
  await work;
  await until(() => snapshot()?.status === 'waiting');
  await session.close();
  expect((await statesOf(session, kid)).at(-1)).toBe('interrupted');
  const again = await stage.open({ resume: session.id, interactive: true });
  expect(again.past?.agents.map(({ id }) => id)).toEqual([kid]);
  expect(await again.resumeAgent(kid)).toBeUndefined();
  await again.settled();
  expect(again.snapshot().find(({ id }) => id === kid)).toMatchObject({ status: 'completed', takenOver: false });
});

it('LC-25, DU-15: killed while it is taken over, it is interrupted: it does not continue on its own, nor report', async () => {
  const { stage, session, work, held, kid, snapshot } = await withChild();
  await session.execute({ type: 'take-over', agent: kid });
  held.open();
  await work;
  await until(() => snapshot()?.status === 'waiting');
  await die(stage, session);
  stage.events.length = 0;
  Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
  const again = await stage.open({ resume: session.id, interactive: true });
  await again.send('and?');
  await again.settled();
  await turns(20);
  expect(again.snapshot().find(({ id }) => id === kid)?.status).toBe('interrupted');
  expect(noticesIn(stage.events).map(({ agent }) => agent)).toEqual([]);
  expectNoneRefused(stage.sim);
});

it('LC-25: who is not at work, or is the main agent, is not taken over', async () => {
  const { session, work, held, kid } = await withChild();
  held.open();
  await work;
  for (const agent of [kid, 'main', 'nobody']) {
    expect(await session.execute({ type: 'take-over', agent })).toMatchObject({ ok: false });
    expect(await session.execute({ type: 'hand-back', agent })).toMatchObject({ ok: false });
  }
});

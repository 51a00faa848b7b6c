/** An interrupt and children: those that are waited for are interrupted and can continue, the others never notice. */

import { expect, it } from 'vitest';
import { gate } from '../../support/gate.js';
import { agentTranscript } from '../../support/session-files.js';
import { readTranscript, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { wireText } from '../../support/wire-body.js';
import { childCall, idOf, noticesIn, statesOf } from '../background/background-stage.js';
import { expectNoneRefused } from '../durability/crash-stage.js';

/** Two running children, one waited for and one in the background; each answers when the gate opens. */
async function withChildren() {
  const held = gate();
  const asked = new Set<string>();
  const stage = await setStage([
    {
      when: { said: 'TASK-' },
      reply: async ({ said }) => {
        const which = said.join().includes('TASK-F') ? 'front' : 'back';
        const isFirst = !asked.has(which);
        asked.add(which);
        if (isFirst) await held.opened;
        return `${which} is done`;
      },
    },
    { when: { result: { tool: 'Agent' } }, reply: 'main goes on' },
    {
      when: { user: 'begin' },
      reply: [
        childCall({ prompt: 'TASK-B', name: 'back', run_in_background: true }),
        childCall({ prompt: 'TASK-F', name: 'front' }),
      ],
    },
    { reply: 'heard' },
  ]);
  const session = await stage.open({ interactive: true, permissionMode: 'bypassPermissions' });
  const work = session.send('begin');
  await until(() => asked.size === 2, 'both children at work');
  return { stage, session, work, held, front: idOf(stage, 'front'), back: idOf(stage, 'back') };
}

const said = (stage: Stage) => stage.sim.requests.map(wireText).join('\n');

it('TU-23, LC-2, LC-6: an interrupt ends the turn and the children it waits for, which can continue; others continue automatically', async () => {
  const { stage, session, work, held, front, back } = await withChildren();
  expect(await session.execute({ type: 'interrupt' })).toEqual({ ok: true });
  expect(await work).toMatchObject({ reason: 'interrupted' });
  const status = (id: string) => session.snapshot().find((agent) => agent.id === id)?.status;
  await until(() => status(front) === 'interrupted');
  expect(await statesOf(session, back)).toEqual(['running']);
  const last = (await readTranscript(agentTranscript(session, front))).findLast(
    ({ event }) => event.kind === 'agent-state-changed',
  )?.event;
  expect(last).not.toHaveProperty('by');
  held.open();
  await session.settled();
  expect(status(back)).toBe('completed');
  expect(noticesIn(stage.events).map(({ agent }) => agent)).toEqual([back]);
  expect(await session.resumeAgent(front)).toBeUndefined();
  await session.settled();
  expect(status(front)).toBe('completed');
  expectNoneRefused(stage.sim);
});

it('TU-23, LC-14: the turn of one child is ended without stopping it: a model may continue with it', async () => {
  const { stage, session, work, held, front, back } = await withChildren();
  expect(await session.execute({ type: 'interrupt', agent: front })).toEqual({ ok: true });
  // Its call is answered, and the parent continues.
  expect(await work).toMatchObject({ reason: 'completed', text: 'main goes on' });
  expect((await statesOf(session, front)).at(-1)).toBe('interrupted');
  expect(await statesOf(session, back)).toEqual(['running']);
  stage.sim.use([
    { when: { said: 'TASK-' }, reply: 'done at last' },
    { when: { result: { tool: 'SendMessage' } }, reply: 'it goes on' },
    { when: { user: 'write to it' }, reply: [{ tool: 'SendMessage', input: { to: front, message: 'go on' } }] },
    { reply: 'heard' },
  ]);
  expect(await session.send('write to it')).toMatchObject({ text: 'it goes on' });
  held.open();
  await session.settled();
  expect((await statesOf(session, front)).at(-1)).toBe('completed');
  expect(await session.execute({ type: 'interrupt', agent: front })).toMatchObject({ ok: false });
  expect(await session.execute({ type: 'interrupt', agent: 'nobody' })).toMatchObject({ ok: false });
});

it('TU-22, TU-10: a child whose turn is ended while words wait for it reads them now, in the same run', async () => {
  const { stage, session, work, held, back } = await withChildren();
  expect(await session.execute({ type: 'message', agent: back, text: 'LOOK HERE' })).toEqual({ ok: true });
  expect(said(stage)).not.toContain('LOOK HERE');
  expect(await session.execute({ type: 'interrupt', agent: back })).toEqual({ ok: true });
  await until(() => said(stage).includes('LOOK HERE'));
  held.open();
  await work;
  await session.settled();
  expect(await statesOf(session, back)).toEqual(['running', 'completed']);
  expect(noticesIn(stage.events).map(({ agent, run }) => [agent, run])).toEqual([[back, 1]]);
  expectNoneRefused(stage.sim);
});

it('TU-22, TU-10: words for a child that it has not read can be taken back', async () => {
  const { stage, session, work, held, back } = await withChildren();
  await session.execute({ type: 'message', agent: back, text: 'NOT THIS' });
  const input =
    stage.events.findLast(({ agent, event }) => agent === back && event.kind === 'input-admitted')?.seq ?? 0;
  expect(await session.execute({ type: 'take-back', agent: back, input })).toMatchObject({
    ok: true,
    content: [{ type: 'text', text: 'NOT THIS' }],
  });
  held.open();
  await work;
  await session.settled();
  expect(said(stage)).not.toContain('NOT THIS');
  expect(await statesOf(session, back)).toEqual(['running', 'completed']);
});

it('TU-23, LC-14: only what the user stops is stopped: no model continues with it', async () => {
  const { session, work, held, front } = await withChildren();
  expect(await session.execute({ type: 'stop-task', task: front })).toEqual({ ok: true });
  held.open();
  await work;
  const last = (await readTranscript(agentTranscript(session, front))).findLast(
    ({ event }) => event.kind === 'agent-state-changed',
  )?.event;
  expect(last).toMatchObject({ state: 'stopped', by: 'person' });
});

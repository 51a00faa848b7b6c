/** CL-8: a client that reads slowly costs time, not memory; and it holds nothing up that is to end. */

import { expect, it } from 'vitest';
import { agentCall } from '../../support/agent-call.js';
import { gate } from '../../support/gate.js';
import { eventsOf, expectAllAccepted, readingTool, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

const NEVER = new Promise<never>(() => {});

/** A client that is behind from now on, and says when it was asked for that. */
function slowClient(ready: Promise<unknown> = NEVER) {
  const client = { asked: 0, onEvent: () => {}, whenReady: () => ready };
  client.whenReady = () => {
    client.asked += 1;
    return ready;
  };
  return client;
}

it('CL-8: no turn begins before it has caught up, of the main agent or of a child', async () => {
  const stage = await setStage([
    { when: { user: 'the task' }, reply: 'child says so' },
    { when: { result: { tool: 'Agent' } }, reply: 'end' },
    { reply: [agentCall('the task', { description: 'c' })] },
  ]);
  const session = await stage.open();
  const held = gate();
  let isBehind = true;
  const asked: number[] = [];
  const whenReady = () => {
    asked.push(stage.sim.requests.length);
    return isBehind ? held.opened : undefined;
  };
  session.attach({ onEvent: () => {}, whenReady });
  const work = session.send('go');
  await until(() => asked.length === 1);
  isBehind = false;
  held.open();
  expect(await work).toMatchObject({ reason: 'completed', text: 'end' });
  expect(asked).toEqual([0, 1, 2]);
  expectAllAccepted(stage.sim);
});

it('CL-8: one that never catches up: an interrupt ends the work, and closing the session', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const session = await stage.open();
  const client = slowClient();
  session.attach(client);
  const first = session.send('one');
  await until(() => client.asked === 1);
  await session.interrupt();
  expect(await first).toMatchObject({ reason: 'interrupted' });
  const second = session.send('two');
  await until(() => client.asked === 2);
  await session.close();
  expect(await second).toMatchObject({ reason: 'interrupted' });
  expect(stage.sim.requests).toEqual([]);
});

it('CL-8: one that leaves is not waited for any more', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const session = await stage.open();
  const client = slowClient();
  const leave = session.attach(client);
  const work = session.send('one');
  await until(() => client.asked === 1);
  leave();
  expect(await work).toMatchObject({ reason: 'completed', text: 'ok' });
});

it('CL-8: one that fails at it is not waited for, and that is reported', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const session = await stage.open();
  session.attach({ onEvent: () => {}, whenReady: () => Promise.reject(new Error('late')) });
  session.attach({
    onEvent: () => {},
    whenReady: () => {
      throw new Error('broken');
    },
  });
  expect(await session.send('one')).toMatchObject({ reason: 'completed', text: 'ok' });
  const lines = eventsOf(stage, 'line-shown').map(({ line }) => line);
  expect(lines).toContain('a listener threw at whenReady: broken');
});

it('CL-3: a work that a notice began is reported, also to the next where one throws; a prompt’s is not', async () => {
  const held = gate();
  const slow = readingTool('Slow', () => held.opened.then(() => 'done'));
  const stage = await setStage([
    { when: { user: 'the task' }, reply: [{ tool: 'Slow', input: {} }] },
    { when: { said: 'the task', result: 'done' }, reply: 'child says so' },
    { when: { user: 'child says so' }, reply: 'heard' },
    { when: { result: { tool: 'Agent' } }, reply: 'begun' },
    { reply: [agentCall('the task', { description: 'c', run_in_background: true })] },
  ]);
  const session = await stage.open({ tools: [slow] });
  const told: string[] = [];
  session.onWoken(() => {
    throw new Error('broken');
  });
  const leave = session.onWoken(({ text }) => told.push(text));
  expect(await session.send('go')).toMatchObject({ text: 'begun' });
  expect(told).toEqual([]);
  held.open();
  await until(() => told.length > 0);
  expect(told).toEqual(['heard']);
  expect(eventsOf(stage, 'line-shown').map(({ line }) => line)).toContain(
    'a listener failed at the end of a run: broken',
  );
  leave();
});

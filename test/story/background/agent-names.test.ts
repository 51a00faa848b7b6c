/** LC-12: a name means one agent, from the moment of the call on, also after a restart. */

import { expect, it } from 'vitest';
import { gate, onceOpen } from '../../support/gate.js';
import { eventsOf, expectAllAccepted, readingTool, setStage } from '../../support/story.js';
import { turns, until } from '../../support/until.js';
import { callResults, childCall, childIds, expectSettled, idOf, requestsWith, statesOf } from './background-stage.js';

const FORKED = { said: 'You are a forked worker' };
const write = (to: string, message = 'hello') => ({ tool: 'SendMessage', input: { to, message } });

it.each([false, true])(
  'LC-12: of several calls of one message with the same name one starts (forks: %s)',
  async (fork) => {
    const held = gate();
    const six = Array.from({ length: 6 }, (_, n) =>
      childCall({ name: 'worker', run_in_background: true, description: `number ${n}`, ...(fork ? { fork } : {}) }),
    );
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: fork ? FORKED : { said: 'CHILD' }, reply: onceOpen(held, 'Done.') },
      { when: { nth: 1 }, reply: six },
      { when: { nth: 2 }, reply: [childCall({ name: 'worker', run_in_background: true, description: 'a late one' })] },
      { reply: 'On.' },
    ]);
    const session = await stage.open({ fork: 'on' });
    await session.send('Delegate.');
    expect(eventsOf(stage, 'agent-spawned')).toMatchObject([{ name: 'worker', description: 'number 0' }]);
    const refused = callResults(stage, 'Agent').filter((text) => text.startsWith('The name "worker" belongs to'));
    expect(refused).toHaveLength(6);
    expect(refused[0]).toContain('being started right now (number 0). Choose another');
    expect(refused[5]).toContain(`belongs to ${childIds(stage)[0]} (${fork ? 'fork' : 'general-purpose'}, number 0)`);
    held.open();
    await expectSettled(session, stage);
    expectAllAccepted(stage.sim);
  },
);

it('LC-12: a name is free again when nothing was started under it', async () => {
  const stage = await setStage([
    { when: { said: 'CHILD' }, reply: 'Done.' },
    {
      when: { nth: 1 },
      reply: [childCall({ name: 'worker', subagent_type: 'wrong' }), childCall({ name: 'worker', max_usd: 0.000001 })],
    },
    { when: { nth: 2 }, reply: [childCall({ name: 'worker' })] },
    { reply: 'On.' },
  ]);
  const wrong = { description: 'd', prompt: 'p', tools: ['Nothing'] };
  const session = await stage.open({ agents: { wrong }, maxUsd: 5 });
  await session.send('Delegate.');
  const [first, , third] = callResults(stage, 'Agent');
  expect(first).toContain('None of the tools');
  expect(third).toMatch(/^Done\./);
});

it('LC-12: session.fork({ name }) claims its name like any other', async () => {
  const held = gate();
  const stage = await setStage([
    { when: FORKED, reply: onceOpen(held, 'Scope: f') },
    { when: { nth: 2 }, reply: [childCall({ name: ' side ', fork: true })] },
    { reply: 'On.' },
  ]);
  const session = await stage.open({ fork: 'on' });
  await session.send('Begin.');
  const first = session.fork('A', { name: 'side' });
  const others = await Promise.all([
    session.fork('B', { name: 'side' }),
    session.fork('C', { name: 'main' }),
    session.fork('D', { name: ' side' }),
  ]);
  expect(others).toMatchObject([
    { status: 'failed', reason: 'not_started', line: expect.stringContaining('being started right now (A)') },
    { status: 'failed', reason: 'not_started', line: '"main" is taken; choose another name.' },
    { status: 'failed', reason: 'not_started', line: expect.stringContaining('being started right now (A)') },
  ]);
  await until(() => eventsOf(stage, 'agent-spawned').length === 1, 'the first is there');
  await session.send('And by a call.');
  expect(callResults(stage, 'Agent')[0]).toContain(`The name "side" belongs to ${idOf(stage, 'side')} (fork, A)`);
  held.open();
  expect(await first).toMatchObject({ status: 'completed' });
  expect(await session.fork('E', { name: 'side' })).toMatchObject({ status: 'completed' });
});

it('LC-12: after a restart it is known who had which name; the new holder is named once, then written to', async () => {
  const stage = await setStage([
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    { when: { said: 'second job' }, reply: 'Second done.' },
    { when: { said: 'first job' }, reply: 'First done.' },
    { when: { said: 'only job' }, reply: 'Only done.' },
    {
      when: { said: 'middle', nth: 1 },
      reply: [childCall({ prompt: 'second job', name: 'w', description: 'the other' })],
    },
    { when: { said: 'middle' }, reply: 'Middle done.' },
    { when: { user: 'NOW WRITE' }, reply: [write('w')] },
    { when: { user: 'ONLY' }, reply: [write('solo')] },
    { when: { nth: 1 }, reply: [childCall({ prompt: 'first job', name: 'w' })] },
    { when: { nth: 2 }, reply: [childCall({ prompt: 'middle' }), childCall({ prompt: 'only job', name: 'solo' })] },
    { reply: 'End.' },
  ]);
  const session = await stage.open();
  await session.send('Delegate.');
  await session.close();
  const again = await stage.open({ resume: session.id });
  await again.send('NOW WRITE');
  const [w1, w2] = eventsOf(stage, 'agent-spawned').filter(({ name }) => name === 'w');
  const [refused] = callResults(stage, 'SendMessage');
  expect(refused).toContain(`"w" is now another agent: ${w2?.agent} (general-purpose, the other)`);
  expect(refused).toContain(`Before, the name was that of ${w1?.agent}`);
  expect(requestsWith(stage.sim, '<agent-message')).toEqual([]);
  await again.send('NOW WRITE again');
  await again.send('ONLY');
  await expectSettled(again, stage);
  const [, second, third] = callResults(stage, 'SendMessage');
  expect(second).toContain(`${w2?.agent} had ended and goes on`);
  expect(third).toContain(`${idOf(stage, 'solo')} had ended and goes on`);
});

it.each([
  ['person', 'was stopped by the person and stays stopped'],
  ['model', 'had ended and goes on in the background'],
] as const)('LC-12 LC-14: a message to one that a %s is just stopping waits for its end', async (by, answer) => {
  const stops = gate();
  const over = gate();
  const stage = await setStage([
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    { when: { said: 'CHILD', nth: 1 }, reply: [{ tool: 'Slow', input: {} }] },
    { when: { said: 'CHILD' }, reply: 'went on' },
    { when: { nth: 1 }, reply: [childCall({ name: 'worker', run_in_background: true })] },
    { when: { nth: 2 }, reply: [{ tool: 'Wait', input: {} }] },
    { when: { nth: 3 }, reply: [write('worker', 'go on please')] },
    { reply: 'On.' },
  ]);
  // Its end takes until the message was sent.
  const slow = readingTool('Slow', async (_, signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    stops.open();
    await over.opened;
    return 'x';
  });
  const wait = readingTool('Wait', async () => {
    await stops.opened;
    return 'y';
  });
  const session = await stage.open({ tools: [slow, wait] });
  const sent = session.send('Delegate.');
  const started = (tool: string) => eventsOf(stage, 'call-started').some((event) => event.tool === tool);
  await until(() => started('Slow') && started('Wait'), 'both wait');
  const stopping = session.tasks()[0]?.stop(by);
  await until(() => started('SendMessage'), 'the message is on its way');
  await turns(20);
  over.open();
  await Promise.all([sent, stopping]);
  await expectSettled(session, stage);
  expect(callResults(stage, 'SendMessage')[0]).toContain(answer);
  const states = await statesOf(session, idOf(stage, 'worker'));
  expect(states).toEqual(by === 'person' ? ['running', 'stopped'] : ['running', 'stopped', 'running', 'completed']);
});

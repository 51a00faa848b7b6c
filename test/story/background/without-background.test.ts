/** LC-4: with background switched off nothing runs there, also not an ended agent that is written to. */

import { expect, it } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { gate, onceOpen } from '../../support/gate.js';
import { agentTranscript } from '../../support/session-files.js';
import { eventsOf, expectAllAccepted, readTranscript, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { cutAfter, die, expectNoneRefused } from '../durability/crash-stage.js';
import { callResults, childCall, idOf, noticesIn, statesOf } from './background-stage.js';

const write = { tool: 'SendMessage', input: { to: 'worker', message: 'MORE of it' } };

function rules(more: Rule[] = []): Rule[] {
  return [
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    ...more,
    { when: { said: 'MORE of it' }, reply: 'The second result.' },
    { when: { said: 'CHILD' }, reply: 'The first result.' },
    { when: { user: 'Delegate.' }, reply: [childCall({ name: 'worker' })] },
    { when: { user: 'Write.' }, reply: [write] },
    { reply: 'End.' },
  ];
}

async function stageWithout(more: Rule[] = []) {
  const stage = await setStage(rules(more));
  stage.env.COPPICE_DISABLE_BACKGROUND = '1';
  return stage;
}

it('LC-4: a message to an ended agent waits for its run; its result is that of the call, and there is no notice', async () => {
  const stage = await stageWithout();
  const session = await stage.open();
  await session.send('Delegate.');
  expect(await session.send('Write.')).toMatchObject({ reason: 'completed', text: 'End.' });
  expectAllAccepted(stage.sim);
  const [said] = callResults(stage, 'SendMessage');
  expect(said).toMatch(/^The second result\.\n\nagentId: /);
  expect(said).not.toContain('background');
  expect(await statesOf(session, idOf(stage, 'worker'))).toEqual(['running', 'completed', 'running', 'completed']);
  const { description } = stage.sim.requests[0]?.body.tools?.find(({ name }) => name === 'SendMessage') ?? {};
  expect(description).toContain('the call waits for its result');
  await session.close();
  // Nor is one owed after a restart.
  const again = await stage.open({ resume: session.id });
  await again.send('Anything new?');
  expect(noticesIn(stage.events)).toEqual([]);
});

it('LC-4 LC-2: an abort of the turn ends the run that was waited for; toBackground moves nothing', async () => {
  const held = gate();
  const stage = await stageWithout([{ when: { said: 'MORE of it' }, reply: onceOpen(held, 'never') }]);
  const session = await stage.open();
  await session.send('Delegate.');
  const sent = session.send('Write.');
  await until(() => stage.sim.requests.some(({ raw }) => raw.includes('MORE of it') && raw.includes('CHILD')), 'asked');
  expect(await session.toBackground()).toBe(0);
  session.interrupt();
  expect(await sent).toMatchObject({ reason: 'interrupted' });
  expect(await statesOf(session, idOf(stage, 'worker'))).toEqual(['running', 'completed', 'running', 'interrupted']);
  held.open();
});

it.each([
  ['result-made', false, 'was interrupted before it was done'],
  ['agent-state-changed', false, 'The second result.'],
  ['result-made', true, 'The second result.'],
] as const)(
  'LC-4 DU-15: the process died after the record %s of such a run (automatic resume: %s): its call is closed once',
  async (kind, automatic, answer) => {
    const stage = await stageWithout();
    const session = await stage.open();
    await session.send('Delegate.');
    await session.send('Write.');
    await die(stage, session);
    await cutAfter(session.transcript, 'assistant-replied', 'MORE of it');
    await cutAfter(agentTranscript(session, idOf(stage, 'worker')), kind);
    if (automatic) stage.env.COPPICE_RESUME_AGENTS = 'auto';
    const before = stage.events.length;
    const again = await stage.open({ resume: session.id });
    await again.send('Go on.');
    await again.settled();
    expectNoneRefused(stage.sim);
    const since = { ...stage, events: stage.events.slice(before) };
    expect(callResults(since, 'SendMessage')).toEqual([expect.stringContaining(answer)]);
    expect(noticesIn(stage.events)).toEqual([]);
    expect(eventsOf(stage, 'agent-spawned')).toHaveLength(1);
    const runs = (await readTranscript(agentTranscript(session, idOf(stage, 'worker')))).flatMap(({ event }) =>
      event.kind === 'agent-state-changed' && event.run === 2 ? [event.call] : [],
    );
    expect(runs[0]).toMatch(/^toolu_/);
  },
);

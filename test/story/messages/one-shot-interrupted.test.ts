/** An agent that answers once: interrupted, it has not answered yet, so it can be resumed; completed, it can't. */

import { expect, it } from 'vitest';
import { gate, onceOpen } from '../../support/gate.js';
import { setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { callResults, childCall, idOf } from '../background/background-stage.js';

/** An Explore agent that was interrupted while it waited for its first reply. */
async function interruptedAgent() {
  const held = gate();
  let isAsked = false;
  const reply = onceOpen(held, 'too late', () => {
    isAsked = true;
  });
  const stage = await setStage([
    { when: { said: 'CHILD' }, reply },
    { reply: [childCall({ subagent_type: 'Explore', name: 'scout' })] },
  ]);
  const session = await stage.open();
  const sent = session.send('begin');
  await until(() => isAsked, 'the agent is running');
  session.interrupt();
  await sent;
  held.open();
  const id = idOf(stage, 'scout');
  const writeToIt = { tool: 'SendMessage', input: { to: id, message: 'go on' } };
  stage.sim.use([
    { when: { said: 'CHILD' }, reply: 'found it' },
    { when: { result: { tool: 'SendMessage' } }, reply: 'ok' },
    { when: { user: 'write to it' }, reply: [writeToIt] },
    { reply: 'heard' },
  ]);
  return { stage, session, id };
}

type Interrupted = Awaited<ReturnType<typeof interruptedAgent>>;
type Open = Interrupted['session'];

it.each<readonly [string, (interrupted: Interrupted) => Promise<Open>]>([
  [
    'by a message of the model',
    async ({ session }) => {
      await session.send('write to it');
      return session;
    },
  ],
  [
    'by the user, in a later session',
    async ({ stage, session, id }) => {
      await session.close();
      const again = await stage.open({ resume: session.id });
      expect(await again.resumeAgent(id)).toBeUndefined();
      return again;
    },
  ],
])('LC-2, LC-12, AG-19: interrupted, it is resumed %s; completed, it is not', async (_how, resume) => {
  const interrupted = await interruptedAgent();
  const { stage, id } = interrupted;
  const session = await resume(interrupted);
  await session.settled();
  expect(session.snapshot().find((agent) => agent.id === id)?.status).toBe('completed');
  await session.send('write to it');
  expect(callResults(stage, 'SendMessage').at(-1)).toContain('is done for good');
  expect(await session.resumeAgent(id)).toContain('is done for good');
});

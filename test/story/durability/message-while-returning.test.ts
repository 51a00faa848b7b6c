/** A message to an agent whose notice waits for a parent that is being brought back, from whom that parent waits for. */

import { expect, it } from 'vitest';
import { agentCall } from '../../support/agent-call.js';
import { gate } from '../../support/gate.js';
import { eventsOf, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { callResults, noticesIn } from '../background/background-stage.js';
import { die, expectNoneRefused } from './crash-stage.js';

it('DU-15: a resumed child writes to a sibling that has ended while their parent is not back yet: nobody waits for ever', async () => {
  const held = gate();
  const asked = { writer: 0, reader: 0 };
  let isBack = false;
  const stage = await setStage([
    { when: { said: 'task of the writer', result: { tool: 'SendMessage' } }, reply: 'writer is done' },
    {
      when: { said: 'task of the writer' },
      reply: async () => {
        asked.writer += 1;
        if (!isBack) await held.opened;
        // The run of the other has ended, and its notice is on its way.
        await until(() => eventsOf(stage, 'notice-queued').length > 0, 'the notice is queued');
        return [{ tool: 'SendMessage', input: { to: 'reader', message: 'look again' } }];
      },
    },
    {
      when: { said: 'task of the reader' },
      reply: async () => {
        asked.reader += 1;
        if (!isBack) await held.opened;
        return 'reader is done';
      },
    },
    {
      when: { said: 'task of the parent', nth: 1 },
      reply: [
        agentCall('task of the writer', { description: 'w' }),
        agentCall('task of the reader', { description: 'r', name: 'reader', run_in_background: true }),
      ],
    },
    { when: { said: 'task of the parent' }, reply: 'parent is done' },
    { when: { user: 'begin' }, reply: [agentCall('task of the parent', { description: 'p' })] },
    { reply: 'main is done' },
  ]);
  Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
  const first = await stage.open();
  void first.send('begin');
  await until(() => asked.writer === 1 && asked.reader === 1, 'both work');
  await die(stage, first, held.open);
  isBack = true;
  stage.events.length = 0;
  const second = await stage.open({ resume: first.id });
  const end = await Promise.race([second.send('go on'), new Promise((resolve) => setTimeout(resolve, 8_000, 'hangs'))]);
  expect(end).toMatchObject({ reason: 'completed' });
  await second.settled(5_000);
  expect(callResults(stage, 'SendMessage').join()).toMatch(/has ended, and can go on only when/);
  expect(noticesIn(stage.events)).toHaveLength(1);
  expectNoneRefused(stage.sim);
});

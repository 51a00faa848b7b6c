/** The person talks to a child themselves, and hands it back. */

import { expect, it } from 'vitest';
import { childCall } from '../../../story/background/background-stage.js';
import { withChild } from '../../../story/messages/take-over-stage.js';
import { fastHost } from '../../../support/hosts/fast-host.js';
import { until } from '../../../support/until.js';

it('LC-25, LC-16, LC-18: while it waits it holds no slot and is not stalled', async () => {
  const { stage, session, work, held, kid, snapshot, host } = await withChild((folder, env) => ({
    host: fastHost(folder, env, 100),
    maxConcurrentAgents: 1,
  }));
  await session.execute({ type: 'take-over', agent: kid });
  held.open();
  await work;
  await until(() => snapshot()?.status === 'waiting');
  stage.sim.use([
    { when: { said: 'OTHER' }, reply: 'other is done' },
    { when: { said: 'TASK' }, reply: 'later words' },
    { when: { result: { tool: 'Agent' } }, reply: 'main has it' },
    { when: { user: 'another' }, reply: [childCall({ prompt: 'OTHER', name: 'other' })] },
    { reply: 'heard' },
  ]);
  // The only slot is free.
  await session.send('another');
  await until(() => session.snapshot().some(({ name, status }) => name === 'other' && status === 'completed'));
  // Longer than a child may hear nothing from its model.
  const since = host?.clock.elapsed() ?? 0;
  await until(() => (host?.clock.elapsed() ?? 0) > since + 700_000);
  expect(snapshot()).toMatchObject({ status: 'waiting', takenOver: true });
  await session.execute({ type: 'message', agent: kid, text: 'still there?' });
  await until(() => snapshot()?.turns === 2 && snapshot()?.status === 'waiting');
});

/** Going back behind the notice of an agent that was started before. */

import { expect, it } from 'vitest';
import { agentCall } from '../../support/agent-call.js';
import { gate, onceOpen } from '../../support/gate.js';
import { eventsOf, expectAllAccepted, setStage } from '../../support/story.js';

it('DU-23, LC-9: an agent whose notice went with what was taken back is named, with how to read it', async () => {
  const held = gate();
  const stage = await setStage([
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    { when: { said: 'CHILD' }, reply: onceOpen(held, 'Done.') },
    { when: { user: 'one' }, reply: [agentCall('CHILD', { run_in_background: true })] },
    { reply: 'On.' },
  ]);
  const session = await stage.open();
  await session.send('one');
  const [id = ''] = eventsOf(stage, 'agent-spawned').map(({ agent }) => agent);
  await session.send('two');
  held.open();
  await session.settled();
  expect(await session.rewind({ to: 2, part: 'conversation' })).toMatchObject({ ok: true });
  await session.send('three');
  expectAllAccepted(stage.sim);
  const last = String(stage.sim.requests.at(-1)?.raw);
  expect(last).not.toContain('<task-notification>');
  expect(last).toContain(`${id} has ended since. TaskOutput with task_id: \\"${id}\\" shows what it said.`);
});

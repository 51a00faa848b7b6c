/** Going back behind the notice of an agent that was started before. */

import { describe, expect, it } from 'vitest';
import { agentCall } from '../../support/agent-call.js';
import { gate, onceOpen } from '../../support/gate.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';

describe('DU-23, LC-9: an agent whose notice went with what was taken back is named, with how to read it', () => {
  it('in a session that is open', async () => {
    const { stage, session, id } = await heardNotice();
    expect(await session.rewind({ to: 2, part: 'conversation' })).toMatchObject({ ok: true });
    await session.send('three');
    expectNamed(stage, id);
  });

  it('in one that is resumed and rewound', async () => {
    const { stage, session, id } = await heardNotice();
    await session.close();
    const resumed = await stage.open({ resume: session.id, rewind: { to: 2, part: 'conversation' } });
    await resumed.send('three');
    expectNamed(stage, id);
  });

  it('not in a branch, which has none of the agents', async () => {
    const { stage, session, id } = await heardNotice();
    await session.close();
    const rewind = { to: 2, part: 'conversation' } as const;
    const branch = await stage.open({ resume: session.id, branch: true, rewind });
    await branch.send('three');
    expectAllAccepted(stage.sim);
    const last = String(stage.sim.requests.at(-1)?.raw);
    expect(last).toContain('The person has gone back to this point');
    expect(last).not.toContain(`${id} has ended since`);
  });
});

/** A session in which an agent was started with the first prompt, and its notice heard after the second. */
async function heardNotice() {
  const held = gate();
  const stage = await setStage([
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    { when: { said: 'CHILD' }, reply: onceOpen(held, 'Done.') },
    { when: { user: 'FIRST' }, reply: [agentCall('CHILD', { run_in_background: true })] },
    { reply: 'On.' },
  ]);
  const session = await stage.open();
  await session.send('FIRST');
  const [id = ''] = eventsOf(stage, 'agent-spawned').map(({ agent }) => agent);
  await session.send('two');
  held.open();
  await session.settled();
  return { stage, session, id };
}

function expectNamed(stage: Stage, id: string): void {
  expectAllAccepted(stage.sim);
  const last = String(stage.sim.requests.at(-1)?.raw);
  expect(last).not.toContain('<task-notification>');
  expect(last).toContain(`${id} has ended since. TaskOutput with task_id: \\"${id}\\" shows what it said.`);
}

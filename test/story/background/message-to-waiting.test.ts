/** A child that writes to its parent while the parent waits for it: the two must not wait for each other. */

import { expect, it } from 'vitest';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { agentCall } from '../../support/agent-call.js';
import { gate, onceOpen } from '../../support/gate.js';
import { eventsOf, expectAllAccepted, setStage } from '../../support/story.js';
import { turns, until } from '../../support/until.js';
import { wireText } from '../../support/wire-body.js';
import { callResults, expectSettled, idOf } from './background-stage.js';

/** Holds the record of a run's end back: until it is on disk, the agent's inbox is closed and not open again. */
function holdRunEnd(host: Host, name: string, reached: () => void, released: Promise<void>): Host {
  const openAppend: Host['files']['openAppend'] = async (path) => {
    const handle = await host.files.openAppend(path);
    let isIts = false;
    return {
      ...handle,
      write: async (bytes) => {
        const line = Buffer.from(bytes).toString('utf8');
        isIts ||= line.includes('"kind":"agent-spawned"') && line.includes(`"name":"${name}"`);
        if (isIts && line.includes('"kind":"run-ended"')) {
          reached();
          await released;
        }
        return handle.write(bytes);
      },
    };
  };
  const files = { ...host.files, openAppend };
  return { ...host, files, at: (folder) => holdRunEnd(host.at(folder), name, reached, released) };
}

it.each([
  ['by the word parent', 'parent'],
  ['by its name', 'middle'],
])(
  'LC-12: a child writes, %s, to a parent that has closed its inbox and waits for it: it arrives, and nothing hangs',
  async (_how, to) => {
    const closed = gate();
    const written = gate();
    const stage = await setStage([
      { when: { said: 'TASK OF THE MIDDLE', user: 'The door is open.' }, reply: 'I have heard of the door.' },
      { when: { said: 'TASK OF THE MIDDLE', user: '<task-notification>' }, reply: 'I have heard of the end.' },
      {
        when: { said: 'TASK OF THE MIDDLE', nth: 1 },
        reply: [agentCall('TASK OF THE LAST', { name: 'last', run_in_background: true })],
      },
      { when: { said: 'TASK OF THE MIDDLE' }, reply: 'I wait.' },
      { when: { said: 'TASK OF THE LAST', nth: 1 }, reply: [{ tool: 'Glob', input: { pattern: '*' } }] },
      {
        when: { said: 'TASK OF THE LAST', nth: 2 },
        reply: onceOpen(closed, [{ tool: 'SendMessage', input: { to, message: 'The door is open.' } }]),
      },
      { when: { said: 'TASK OF THE LAST' }, reply: 'Written.' },
      { when: { nth: 1 }, reply: [agentCall('TASK OF THE MIDDLE', { name: 'middle' })] },
      { reply: 'Over.' },
    ]);
    const host = holdRunEnd(nodeHost(stage.folder, stage.env), 'middle', closed.open, written.opened);
    const session = await stage.open({ host });
    const sent = session.send('Delegate.');
    await until(
      () => eventsOf(stage, 'call-started').some(({ tool }) => tool === 'SendMessage'),
      'it writes while the inbox is closed',
    );
    await turns(50);
    expect(callResults(stage, 'SendMessage')).toEqual([]);
    written.open();
    expect(await sent).toMatchObject({ reason: 'completed', text: 'Over.' });
    await expectSettled(session, stage);
    expectAllAccepted(stage.sim);
    expect(callResults(stage, 'SendMessage')).toEqual([expect.stringContaining('will read it between its turns')]);
    const told = stage.sim.requests.filter((request) => wireText(request).includes('<agent-message from=\\"last'));
    expect(told.length).toBeGreaterThan(0);
    expect(wireText(told.at(-1)).split('The door is open.')).toHaveLength(2);
    // It continued in the same run, and ended once.
    const states = stage.events.flatMap(({ agent, event }) =>
      agent === idOf(stage, 'middle') && event.kind === 'agent-state-changed' ? [`${event.state} ${event.run}`] : [],
    );
    expect(states.filter((state) => state !== 'waiting 1' && state !== 'running 1')).toEqual(['completed 1']);
    expect(callResults(stage, 'Agent').at(-1)).toMatch(/I have heard of the (door|end)\./);
  },
);

/** An agent that two would bring back at once: the automatic resume, and a message to it. */

import { expect, it } from 'vitest';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { gate } from '../../support/gate.js';
import { agentTranscript } from '../../support/session-files.js';
import { eventsOf, readTranscript, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { die, expectNoneRefused } from './crash-stage.js';

/** The real machine, which opens this transcript to be read only when it may, once that is asked of it. */
function slowToRead(host: Host, path: string, may: () => Promise<void> | undefined): Host {
  const openRead = async (asked: string) => {
    if (asked === path) await may();
    return host.files.openRead(asked);
  };
  return { ...host, files: { ...host.files, openRead }, at: (folder) => slowToRead(host.at(folder), path, may) };
}

it('DU-2, DU-15: a message to an agent that is being resumed reaches that one; its transcript has one writer', async () => {
  const held = gate();
  const stage = await setStage([
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    { when: { user: 'go on' }, reply: [{ tool: 'SendMessage', input: { to: 'worker', message: 'and this too' } }] },
    { when: { said: 'task of the child', user: 'and this too' }, reply: 'Both done.' },
    { when: { said: 'task of the child' }, reply: async () => held.opened.then(() => 'One done.') },
    {
      when: { nth: 1 },
      reply: [{ tool: 'Agent', input: { name: 'worker', prompt: 'task of the child', run_in_background: true } }],
    },
    { reply: 'Waiting.' },
  ]);
  Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
  const first = await stage.open({ interactive: true });
  await first.send('begin');
  await until(() => stage.sim.requests.length === 3, 'the child asks');
  const id = eventsOf(stage, 'agent-spawned')[0]?.agent ?? '';
  await die(stage, first);

  const path = agentTranscript(first, id);
  const may = gate();
  let isOpen = false;
  const again = await stage.open({
    interactive: true,
    resume: first.id,
    host: slowToRead(nodeHost(stage.folder, stage.env), path, () => (isOpen ? may.opened : undefined)),
  });
  isOpen = true;
  const sent = again.send('go on');
  await until(() => eventsOf(stage, 'call-started').some(({ tool }) => tool === 'SendMessage'), 'main writes to it');
  may.open();
  held.open();
  await sent;
  await again.settled();
  await again.close();
  expect(eventsOf(stage, 'agent-resumed')).toHaveLength(1);
  const records = await readTranscript(path);
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
  const words = records.filter(({ event }) => event.kind === 'input-admitted' && event.key?.startsWith('message '));
  expect(words).toHaveLength(1);
  expectNoneRefused(stage.sim);
});

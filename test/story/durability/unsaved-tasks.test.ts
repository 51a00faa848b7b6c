/** Tasks in the background whose record could not be written once: a later resume still knows of them. */

import { expect, it } from 'vitest';
import { nodeHost } from '../../../src/host/node-host.js';
import { gate } from '../../support/gate.js';
import { fastHost } from '../../support/hosts/fast-host.js';
import { runningWith } from '../../support/processes.js';
import { eventsOf, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { resultsById, wireText } from '../../support/wire-body.js';
import { failingHost } from '../holes/failing-host.js';
import { expectNoneRefused } from './crash-stage.js';

/** Refuses the first record that has the words. */
function refuseOnce(words: string) {
  const refused = { count: 0 };
  const write = (_path: string, record: string) => {
    if (refused.count > 0 || !record.includes(words)) return false;
    refused.count += 1;
    return true;
  };
  return { refused, write };
}

it('LC-15, DU-4: a command in the background whose start could not be saved is ended, and the model is informed', async () => {
  const number = `${7_900_000 + Math.floor(Math.random() * 90_000)}.25`;
  const stage = await setStage([
    {
      when: { nth: 1 },
      reply: [{ tool: 'Bash', input: { command: `sleep ${number}`, run_in_background: true }, id: 'toolu_sleep' }],
    },
    { reply: 'On.' },
  ]);
  const { refused, write } = refuseOnce('"task-started"');
  const host = failingHost(nodeHost(stage.folder, stage.env), { write });
  const session = await stage.open({ host, permissionMode: 'bypassPermissions' });
  expect(await session.send('begin')).toMatchObject({ reason: 'completed' });
  expect(refused.count).toBe(1);
  expectNoneRefused(stage.sim);
  expect(resultsById(stage.sim.requests.at(-1)).get('toolu_sleep')).toMatch(/ended again.*could not be saved/);
  expect(runningWith(`sleep ${number}`)).toEqual([]);
});

it('LC-3, LC-9: a child was moved while that could not be saved, and the process dies before its notice: the resume tells', async () => {
  const held = gate();
  const stage = await setStage([
    {
      when: { user: 'task of the child' },
      reply: async () => {
        await held.opened;
        return 'child is done';
      },
    },
    { when: { nth: 1 }, reply: [{ tool: 'Agent', input: { description: 'c', prompt: 'task of the child' } }] },
    { reply: 'main heard' },
  ]);
  const { refused, write } = refuseOnce('moved to the background');
  const disk = { takesNotices: true };
  const host = failingHost(fastHost(stage.folder, stage.env), {
    write: (path, record) => write(path, record) || (!disk.takesNotices && record.includes('task-notification')),
  });
  const first = await stage.open({ host });
  const sent = first.send('begin');
  await until(() => eventsOf(stage, 'request-sent').length === 2, 'the child has asked');
  expect(first.toBackground()).toBe(1);
  await sent;
  expect(refused.count).toBe(1);
  disk.takesNotices = false;
  held.open();
  expect((await first.settled()).unreported).toHaveLength(1);
  await first.close();
  const again = await stage.open({ resume: first.id });
  await again.send('and?');
  await again.settled();
  expectNoneRefused(stage.sim);
  expect(wireText(stage.sim.requests.at(-1)).split('child is done')).toHaveLength(2);
});

/** What is opened is closed: when a session has been left, nothing of it is running any more. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { realClock } from '../../src/host/clock.js';
import type { Host } from '../../src/host/host.js';
import { nodeHost } from '../../src/host/node-host.js';
import { agentCall } from '../support/agent-call.js';
import { gate } from '../support/gate.js';
import { wrapFiles } from '../support/hosts/wrap-files.js';
import { eventsOf, setStage } from '../support/story.js';
import { turns } from '../support/until.js';

/** Long enough for a session that does not wait to be left; one that waits, waits so long. */
const LATE_MS = 2_000;

it('the deletion of old sessions ends before close does', async () => {
  const stage = await setStage([{ reply: 'hello' }]);
  await rm(join(stage.home, '.coppice', 'cleaned-up'));
  let isLeft = false;
  const left = gate();
  const late: string[] = [];
  const real = nodeHost(stage.folder, stage.env);
  const files = wrapFiles(real.files, (call) => {
    if (isLeft) late.push(new Error('after close').stack ?? '');
    return call();
  });
  const slow: Host['files'] = {
    ...files,
    replace: async (path, content, mode) => {
      await files.replace(path, content, mode);
      if (path.endsWith('cleaned-up')) await Promise.race([left.opened, realClock.sleep(LATE_MS)]);
    },
  };
  const host = (at: Host): Host => ({ ...at, files: slow, at: (folder) => host(at.at(folder)) });
  const session = await stage.open({ host: host(real) });
  await session.send('hi');
  await session.close();
  isLeft = true;
  left.open();
  // What was held continues at once.
  await turns(20);
  expect(late).toEqual([]);
});

it('LC-6, DU-9: an agent that a message was just bringing back does not begin, and can be resumed', async () => {
  const stage = await setStage([
    { when: { user: 'AND THEN' }, fault: 'silence' },
    { when: { user: 'FIRST TASK' }, reply: 'The first is done.' },
    { when: { user: 'Delegate.' }, reply: [agentCall('FIRST TASK', { name: 'worker' })] },
    { when: { user: 'Go on.' }, reply: [{ tool: 'SendMessage', input: { to: 'worker', message: 'AND THEN?' } }] },
    { reply: 'Well.' },
  ]);
  const returning = gate();
  const left = gate();
  const real = nodeHost(stage.folder, stage.env);
  // Its transcript is still being read when the session is left.
  const openRead: Host['files']['openRead'] = async (path) => {
    if (path.includes('subagents')) {
      returning.open();
      await left.opened;
    }
    return real.files.openRead(path);
  };
  const host = (at: Host): Host => ({ ...at, files: { ...real.files, openRead }, at: (folder) => host(at.at(folder)) });
  const session = await stage.open({ host: host(real) });
  await session.send('Delegate.');
  const asked = stage.sim.requests.length;
  const work = session.send('Go on.');
  await returning.opened;
  const closed = session.close();
  await turns(20);
  left.open();
  await closed;
  expect((await work).reason).toBe('interrupted');
  expect(stage.sim.requests).toHaveLength(asked + 1);
  expect(eventsOf(stage, 'agent-state-changed').at(-1)).toMatchObject({ state: 'interrupted', run: 2 });
});

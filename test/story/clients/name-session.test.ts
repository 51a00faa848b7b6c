/** The name of a session: given when it is opened or later, kept with it, shown in lists. */

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSession } from '../../../src/front/sdk/open-session.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { listSessions } from '../../../src/session/store/list-sessions.js';
import { eventsOf, type Stage, setStage } from '../../support/story.js';

async function listed(stage: Stage): Promise<readonly (string | undefined)[]> {
  const host = nodeHost(stage.folder, stage.env);
  const { sessions } = await listSessions(host, { home: join(stage.home, '.coppice') });
  return sessions.map(({ name }) => name).sort();
}

it('CL-3: a name from the start is recorded with the first prompt, can be changed, and lists show it', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const session = await stage.open({ name: '  the\n move ' });
  expect(session.name).toBe('the move');
  expect(await listed(stage)).toEqual([]);
  await session.send('hello');
  expect(eventsOf(stage, 'session-named').map(({ name }) => name)).toEqual(['the move']);
  expect(await listed(stage)).toEqual(['the move']);
  await session.rename('the second move');
  expect(session.name).toBe('the second move');
  await session.close();
  expect(await listed(stage)).toEqual(['the second move']);
});

it('CL-3: it is there after a resume, in a branch, and can be changed before the first prompt', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const first = await stage.open();
  expect(first.name).toBeUndefined();
  await first.send('hello');
  await first.rename('one');
  await first.close();
  const branch = await stage.open({ resume: first.id, branch: true });
  expect(branch.name).toBe('one');
  await branch.send('more');
  expect(await listed(stage)).toEqual(['one', 'one']);
  expect(eventsOf(stage, 'session-named')).toHaveLength(1);
  await branch.close();
  const again = await stage.open({ resume: first.id });
  expect(await again.execute({ type: 'rename', name: 'two' })).toEqual({ ok: true });
  await again.close();
  expect(await listed(stage)).toEqual(['one', 'two']);
});

it('CL-3: a name is a line of some length', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const session = await stage.open();
  expect(await session.execute({ type: 'rename', name: ' \n ' })).toMatchObject({ ok: false });
  expect(await session.execute({ type: 'rename', name: 'x'.repeat(201) })).toMatchObject({ ok: false });
  expect(session.name).toBeUndefined();
  const opened = await openSession({ cwd: stage.folder, env: stage.env, name: '' });
  expect(opened).toMatchObject({ ok: false, kind: 'usage' });
});

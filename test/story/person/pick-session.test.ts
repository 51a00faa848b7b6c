/** What the list of sessions to resume says of each. */

import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { projectKey } from '../../../src/config/paths.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { listForPicker, type PickerSession } from '../../../src/session/store/picker/list-for-picker.js';
import { gate, onceOpen } from '../../support/gate.js';
import { eventsOf, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

async function picked({ folder, env }: Stage): Promise<PickerSession[]> {
  const host = nodeHost(folder, env);
  const list = await listForPicker(host, { home: env.COPPICE_HOME ?? '', project: projectKey(folder) });
  const sessions = [...list.sessions];
  await list.complete((one) => {
    sessions[sessions.findIndex(({ id }) => id === one.id)] = one;
  });
  return sessions;
}

it('TU-25: given name, last prompt that is in force, branch, and agents that were interrupted', async () => {
  const never = gate();
  const stage = await setStage([
    { when: { user: 'look around' }, reply: onceOpen(never, 'late') },
    {
      when: { user: 'start one' },
      reply: [
        {
          tool: 'Agent',
          input: { description: 'd', prompt: 'look around', subagent_type: 'general-purpose', run_in_background: true },
        },
      ],
    },
    { reply: 'ok' },
  ]);
  execFileSync('git', ['init', '-q', '-b', 'topic/x'], { cwd: stage.folder });
  const session = await stage.open({ permissionMode: 'bypassPermissions' });
  await session.send('first words');
  await session.send('start one');
  await until(() => eventsOf(stage, 'agent-spawned').length === 1, 'the child');
  expect(await picked(stage)).toMatchObject([{ id: session.id, details: { prompt: 'start one', interrupted: 0 } }]);
  await session.rename('The login work');
  await session.close();
  never.open();
  expect(await picked(stage)).toEqual([
    {
      id: session.id,
      project: projectKey(stage.folder),
      path: session.transcript,
      lastActive: expect.any(Number),
      details: {
        cwd: stage.folder,
        name: 'The login work',
        prompt: 'start one',
        branch: 'topic/x',
        interrupted: 1,
        isEmpty: false,
      },
    },
  ]);
  const again = await stage.open({ resume: session.id });
  await again.rewind({ to: 2, part: 'conversation' });
  await again.close();
  expect(await picked(stage)).toMatchObject([{ details: { prompt: 'first words' } }]);
});

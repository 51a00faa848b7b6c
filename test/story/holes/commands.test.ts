/** SF-6: a command returns what went wrong and never rejects; a prompt that is sent again under its key is one prompt. */

import { expect, it } from 'vitest';
import { nodeHost } from '../../../src/host/node-host.js';
import type { Command } from '../../../src/protocol/commands.js';
import { expectAllAccepted, setStage } from '../../support/story.js';
import { failingHost } from './failing-host.js';

const COMMANDS: Command[] = [
  { type: 'message', agent: 'main', text: 'y' },
  { type: 'resume-agent', agent: 'nobody' },
  { type: 'rewind', to: 1, part: 'both' },
  { type: 'compact' },
];

it.each(COMMANDS)('SF-6: $type on a disk that takes no more returns the reason', async (command) => {
  const stage = await setStage([{ reply: 'hi' }]);
  const first = await stage.open();
  for (const words of ['one', 'two']) await first.send(words);
  await first.close();
  let full = false;
  const host = failingHost(nodeHost(stage.folder, stage.env), { open: () => full, write: () => full });
  const session = await stage.open({ host, resume: first.id });
  full = true;
  const done = await session.execute(command);
  expect(done).toMatchObject({ ok: false, reason: expect.stringContaining('could not open') });
  expect(await session.fork('z')).toMatchObject({ status: 'failed', reason: 'not_started' });
  full = false;
  expect(await session.send('three')).toMatchObject({ reason: 'completed' });
});

it('SF-6: a prompt sent again under its key asks the model nothing, in the same process and after a resume', async () => {
  const stage = await setStage([{ reply: 'hi' }]);
  const session = await stage.open();
  const prompt: Command = { type: 'prompt', content: 'x', key: 'mine' };
  const end = await session.execute(prompt);
  expect(await session.execute(prompt)).toEqual(end);
  expect(stage.sim.requests).toHaveLength(1);
  await session.close();
  const again = await stage.open({ resume: session.id });
  expect(await again.execute(prompt)).toMatchObject({ reason: 'completed' });
  expect(stage.sim.requests).toHaveLength(1);
  expect(await again.execute({ ...prompt, key: 'another' })).toMatchObject({ reason: 'completed', text: 'hi' });
  expectAllAccepted(stage.sim);
});

/** Turns that a background task begins, and prompts that come meanwhile. */

import { expect, it } from 'vitest';
import { setSdkStage } from '../../../long/sdk/sdk-stage.js';
import { untilFound } from '../../../support/until.js';

it('CL-4: a prompt that comes while a notice is worked on ends with it: one result, not two', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const stage = await setSdkStage([
    { when: { said: 'CHILD-TASK' }, reply: 'Child done.' },
    { when: { user: 'second' }, reply: 'Two.' },
    {
      when: { user: 'start', nth: 1 },
      reply: [{ tool: 'Agent', input: { prompt: 'CHILD-TASK', description: 'look', run_in_background: true } }],
    },
    { when: { result: { tool: 'Agent' } }, reply: 'Started.' },
    {
      reply: async () => {
        await held;
        return 'Noticed.';
      },
    },
  ]);
  const live = stage.open({ extraArgs: { 'replay-user-messages': null } });
  live.say('start');
  await live.result(1);
  await untilFound(() => (stage.sim.requests.length >= 4 ? true : undefined), 'the request about the notice');
  live.say('second');
  await live.message((line) => line.isReplay === true && JSON.stringify(line.message).includes('second'), 'its repeat');
  release();
  expect(await live.result(2)).toMatchObject({ subtype: 'success', result: 'Two.' });
  const { messages } = await live.end();
  expect(messages.filter(({ type }) => type === 'result').map(({ result }) => result)).toEqual(['Started.', 'Two.']);
});

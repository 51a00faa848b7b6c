/** Commands of ours that a client types as a prompt. */

import { expect, it } from 'vitest';
import { setSdkStage } from './sdk-stage.js';

const RULES = [{ when: { user: '<compaction>' }, reply: 'A SUMMARY of it.' }, { reply: 'Yes.' }] as const;

it('CL-2: /compact and /clear typed as prompts are commands: nothing of them reaches the model as a prompt', async () => {
  const stage = await setSdkStage(RULES);
  const live = stage.open();
  live.say('/compact');
  expect(await live.result(1)).toMatchObject({
    is_error: true,
    errors: ['Not compacted: the conversation is empty'],
  });
  live.say('first');
  await live.result(2);
  live.say('second');
  await live.result(3);
  live.say('/compact keep the NUMBERS');
  expect(await live.result(4)).toMatchObject({ subtype: 'success', result: 'The conversation was compacted.' });
  expect(live.messages.filter(({ subtype }) => subtype === 'compact_boundary')).toMatchObject([
    { compact_metadata: { trigger: 'manual' } },
  ]);
  live.say('third');
  await live.result(5);
  live.say('/clear');
  expect(await live.result(6)).toMatchObject({ subtype: 'success', result: 'The conversation was cleared.' });
  live.say('fourth');
  await live.result(7);
  const { sent } = await live.end();
  const texts = sent.map(({ messages }) => JSON.stringify(messages));
  expect(texts).toHaveLength(5);
  expect(texts[2]).toContain('keep the NUMBERS');
  expect(texts[3]).toContain('A SUMMARY of it.');
  expect(texts[4]).not.toContain('A SUMMARY of it.');
  expect(texts.join()).not.toMatch(/"\/(compact|clear)/);
});

it('CL-4: they are among the commands of init and initialize; with something attached it is a prompt', async () => {
  const stage = await setSdkStage(RULES);
  const live = stage.open();
  const { commands } = await live.query.initializationResult();
  expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(['compact', 'clear']));
  live.say([
    { type: 'text', text: 'hello' },
    { type: 'text', text: '/compact' },
  ]);
  expect(await live.result(1)).toMatchObject({ result: 'Yes.' });
  const init = live.messages.find(({ subtype }) => subtype === 'init');
  expect(init).toMatchObject({ slash_commands: commands.map(({ name }) => name) });
  await live.end();
});

/** SF-10: system messages in a conversation, with the official client, and the message when no rule matches. */

import Anthropic from '@anthropic-ai/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { type Scenario, startSim } from '../../../src/sim/index.js';
import { MODEL } from './ask.js';

type Messages = Anthropic.MessageParam[];

const say = (role: 'user' | 'assistant' | 'system', content: string) => ({ role, content }) as const;
const CALL = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Read', input: {} }] } as const;
const RESULT = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'r' }] } as const;

async function client(scenario: Scenario['rules'] = [{ reply: 'Hello.' }]) {
  const sim = await startSim({ scenario });
  onTestFinished(() => sim.close());
  const api = new Anthropic({ baseURL: sim.url, apiKey: 'k', maxRetries: 0 });
  const ask = (messages: Messages, model: string = MODEL) => api.messages.create({ model, max_tokens: 100, messages });
  return { sim, ask };
}

it.each<readonly [string, Messages]>([
  ['at the end', [say('user', 'a'), say('system', 's')]],
  ['before a reply', [say('user', 'a'), say('system', 's'), say('assistant', 'b'), say('user', 'c')]],
  ['two together', [say('user', 'a'), say('system', 's'), say('system', 't'), say('assistant', 'b'), say('user', 'c')]],
  ['after a tool’s result', [say('user', 'a'), CALL as never, RESULT as never, say('system', 's')]],
  ['as blocks', [say('user', 'a'), { role: 'system', content: [{ type: 'text', text: 's' }] }]],
])('SF-10: a system message is accepted: %s', async (_, messages) => {
  const { ask } = await client();
  expect((await ask(messages)).content).toMatchObject([{ type: 'text', text: 'Hello.' }]);
});

it.each<readonly [string, Messages, RegExp]>([
  ['first', [say('system', 's'), say('user', 'a')], /first message must use the .*user.* role/],
  [
    'after a reply',
    [say('user', 'a'), say('assistant', 'b'), say('system', 's'), say('user', 'c')],
    /messages\.2: role 'system' must follow a 'user' message/,
  ],
  [
    'between two prompts',
    [say('user', 'a'), say('system', 's'), say('user', 'c')],
    /messages\.1: role 'system' must precede an 'assistant' message or end the array/,
  ],
  [
    'between a call and its result',
    [say('user', 'a'), CALL as never, say('system', 's'), RESULT as never],
    /messages\.2: role 'system' must follow/,
  ],
  [
    'with an image',
    [say('user', 'a'), { role: 'system', content: [{ type: 'image' }] } as never],
    /`image` blocks cannot be in `system` messages/,
  ],
])('SF-10: a system message is refused: %s', async (_, messages, reason) => {
  const { ask } = await client();
  await expect(ask(messages)).rejects.toThrow(reason);
});

it('SF-10: older models do not take system messages', async () => {
  const { ask } = await client();
  await expect(ask([say('user', 'a'), say('system', 's')], 'claude-opus-4-6')).rejects.toThrow(
    /not supported on this model/,
  );
});

it('SF-9: rules see the user’s text before it, and its text as part of the system prompt; the cache reads everything before it', async () => {
  const long = 'word '.repeat(3_000);
  const { sim, ask } = await client([
    { when: { user: 'question', system: 'Write Go.' }, reply: 'Go.' },
    { reply: 'Other.' },
  ]);
  const cached = {
    role: 'user',
    content: [{ type: 'text', text: long, cache_control: { type: 'ephemeral' } }],
  } as const;
  await ask([cached as never, say('assistant', 'b'), say('user', 'question')]);
  const reply = await ask([
    cached as never,
    say('assistant', 'b'),
    say('user', 'question'),
    say('system', 'Write Go.'),
  ]);
  expect(reply.content).toMatchObject([{ text: 'Go.' }]);
  expect(reply.usage.cache_read_input_tokens).toBeGreaterThan(1_000);
  expect(sim.requests.at(-1)?.status).toBe(200);
});

it('SF-9: no rule matches: the user’s text is shown, not the reminders before it', async () => {
  const reminder = `<system-reminder>\n${'about this folder '.repeat(40)}\n</system-reminder>`;
  const { sim, ask } = await client([{ when: { user: 'something else' }, reply: 'x' }]);
  const text = (words: string) => ({ type: 'text', text: words }) as const;
  const content = [text(reminder), text(reminder), text('fix the parser')];
  await expect(ask([{ role: 'user', content }])).rejects.toThrow(/No rule of this scenario/);
  expect(sim.unmatched[0]).toContain('user: "fix the parser" (and 2 reminders)');
  expect(sim.unmatched[0]).toContain('said first: "fix the parser" (and 2 reminders)');
});

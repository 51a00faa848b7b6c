/** A server whose replies are not as the API's: nothing of them may end in a record that can't be read again. */

import { expect, it } from 'vitest';
import type { SessionOptions } from '../../src/engine/session-options.js';
import { serve } from '../support/plain-server.js';
import { eventsOf, type Stage, setStage } from '../support/story.js';

const USAGE = { input_tokens: 10, output_tokens: 5 };

const began = (usage: unknown = USAGE) => ({
  type: 'message_start',
  message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage },
});

const block = (start: object, delta: object) => [
  { type: 'content_block_start', index: 0, content_block: start },
  { type: 'content_block_delta', index: 0, delta },
  { type: 'content_block_stop', index: 0 },
];

const words = (text: unknown) => block({ type: 'text', text: '' }, { type: 'text_delta', text });

const ended = (stop: unknown = 'end_turn', usage: unknown = { output_tokens: 5 }) => [
  { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage },
  { type: 'message_stop' },
];

/** The first replies as given; then proper ones. */
async function stageWith(odd: readonly object[], times: number): Promise<Stage> {
  let heard = 0;
  const { url } = await serve((request, response) => {
    request.resume().on('end', () => {
      heard += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const events = heard <= times ? odd : [began(), ...words('Fine.'), ...ended()];
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    });
  });
  const stage = await setStage();
  stage.env.ANTHROPIC_BASE_URL = url;
  return stage;
}

/** Two prompts, then the session continues in a new process: what the user sees then. */
async function linesAfter(stage: Stage, options: SessionOptions = {}): Promise<string[]> {
  const session = await stage.open(options);
  expect((await session.send('One.')).reason).toBe('completed');
  await session.close();
  stage.events.length = 0;
  await (await stage.open({ resume: session.id })).send('Two.');
  return eventsOf(stage, 'line-shown').map(({ line }) => line);
}

it.each([
  ['texts', { input_tokens: '10', output_tokens: '5' }, { output_tokens: '7' }],
  ['below zero', { input_tokens: 10, output_tokens: -1e6 }, { output_tokens: -1e6 }],
  ['larger than any count', { input_tokens: 1e308, output_tokens: 1 }, { output_tokens: 1e308 }],
  ['not figures', { input_tokens: {}, output_tokens: [] }, { output_tokens: true }],
])(
  'DU-10: figures of usage that are %s are ignored, and the reply is there after a resume',
  async (_name, first, last) => {
    const stage = await stageWith([began(first), ...words('Odd.'), ...ended('end_turn', last)], 1);
    expect(await linesAfter(stage)).not.toContainEqual(expect.stringContaining('damaged'));
    const [end] = eventsOf(stage, 'run-ended');
    for (const figure of Object.values(end?.usage ?? {})) expect(figure).toBeLessThan(100_000);
    expect(end?.usage.output).toBeGreaterThanOrEqual(0);
  },
);

it('LC-17: figures below zero give no budget back', async () => {
  const usage = { input_tokens: 1, output_tokens: -1e9 };
  const stage = await stageWith([began(usage), ...words('Odd.'), ...ended('end_turn', usage)], 1_000);
  const session = await stage.open({ maxTokens: 60_000 });
  const reasons = [];
  for (let round = 1; round <= 12; round += 1) reasons.push((await session.send('Again.')).reason);
  expect(reasons.at(-1)).toBe('max_tokens');
});

it.each([
  ['a stop reason that is no text', [began(), ...words('Odd.'), ...ended(7)]],
  ['text that is none', [began(), ...words(null), ...ended()]],
  [
    'a call without an id',
    [
      began(),
      ...block({ type: 'tool_use', name: 'Glob', input: {} }, { type: 'input_json_delta', partial_json: '{}' }),
      ...ended('tool_use'),
    ],
  ],
  [
    'an input that is no text',
    [
      began(),
      ...block(
        { type: 'tool_use', id: 'a', name: 'Glob', input: {} },
        { type: 'input_json_delta', partial_json: { pattern: '*' } },
      ),
      ...ended('tool_use'),
    ],
  ],
  [
    'hidden thinking without data',
    [began(), ...block({ type: 'redacted_thinking' }, { type: 'other' }), ...words('Odd.'), ...ended()],
  ],
])('LC-23: %s: the reply is ignored, and is asked for again', async (_name, odd) => {
  const stage = await stageWith(odd, 1);
  expect(await linesAfter(stage)).not.toContainEqual(expect.stringContaining('damaged'));
});

/** CL-4: a response as listeners see it, whatever the model client says of it. */

import { expect, it } from 'vitest';
import { StreamReporter } from '../../../src/loop/stream/report-stream.js';
import type { ModelEvent } from '../../../src/model/model-client.js';
import type { AssistantBlock } from '../../../src/protocol/blocks.js';
import type { LiveEvent } from '../../../src/protocol/events.js';
import { freezeBlock } from '../../../src/protocol/frozen-block.js';
import { NO_USAGE } from '../../../src/protocol/usage.js';

async function told(...events: readonly ModelEvent[]): Promise<LiveEvent[]> {
  const heard: LiveEvent[] = [];
  const telling = new StreamReporter(1, async (event) => heard.push(event));
  for (const event of events) await telling.take(event);
  return heard;
}

const began: ModelEvent = { type: 'response-began', id: 'r', model: 'm', usage: NO_USAGE };
const finished = (index: number, block: AssistantBlock): ModelEvent => ({
  type: 'block-finished',
  index,
  block: { block, frozen: freezeBlock(block) },
});
const call = { type: 'tool_use', id: 'c1', name: 'Read', input: { a: 1 } } as const;

it('CL-4: a client that only streams text reports a beginning for each block', async () => {
  const text = { type: 'text', text: 'ab' } as const;
  const pieces = ['a', 'b'].map((one): ModelEvent => ({ type: 'text-streamed', index: 0, text: one }));
  expect(await told(began, ...pieces, finished(0, text))).toEqual([
    { kind: 'response-began', turn: 1, response: 'r', model: 'm', usage: NO_USAGE },
    { kind: 'block-began', index: 0, block: { type: 'text' } },
    { kind: 'text-streamed', index: 0, text: 'a' },
    { kind: 'text-streamed', index: 0, text: 'b' },
    { kind: 'block-finished', index: 0 },
  ]);
});

it('CL-4: a call whose id comes last is reported when it is complete', async () => {
  const pieces = ['{ "a": ', '1 }'].map(
    (json): ModelEvent => ({ type: 'call-streamed', index: 0, name: 'Read', json }),
  );
  expect((await told(began, ...pieces, finished(0, call))).slice(1)).toEqual([
    { kind: 'block-began', index: 0, block: { type: 'tool_use', id: 'c1', name: 'Read' } },
    { kind: 'call-streamed', index: 0, name: 'Read', json: '{ "a": 1 }' },
    { kind: 'block-finished', index: 0 },
  ]);
});

it('CL-4: blocks that arrive complete are reported in one piece, with signatures, numbered without a gap', async () => {
  const thinking = { type: 'thinking', thinking: 'hm', signature: 'sig' } as const;
  expect((await told(began, finished(3, thinking), finished(7, call))).slice(1)).toEqual([
    { kind: 'block-began', index: 0, block: { type: 'thinking' } },
    { kind: 'thinking-streamed', index: 0, text: 'hm' },
    { kind: 'block-finished', index: 0, signature: 'sig' },
    { kind: 'block-began', index: 1, block: { type: 'tool_use', id: 'c1', name: 'Read' } },
    { kind: 'call-streamed', index: 1, name: 'Read', json: '{"a":1}' },
    { kind: 'block-finished', index: 1 },
  ]);
});

it('CL-4: after a retry, the numbers restart', async () => {
  const text: ModelEvent = { type: 'text-streamed', index: 0, text: 'a' };
  const indexes = (await told(began, text, began, text)).filter(({ kind }) => kind === 'block-began');
  expect(indexes).toMatchObject([{ index: 0 }, { index: 0 }]);
});

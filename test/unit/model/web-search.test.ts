/** EX-24: the provider's own search: the request, and the parsed reply. */

import { expect, it } from 'vitest';
import { buildBody } from '../../../src/model/anthropic/body.js';
import { anthropicProvider } from '../../../src/model/anthropic/provider.js';
import { readStream } from '../../../src/model/anthropic/read-stream.js';
import type { WireEvent } from '../../../src/model/anthropic/wire.js';
import type { ModelEvent } from '../../../src/model/model-client.js';
import { costOf, modelData } from '../../../src/model/models.js';
import { text } from '../../../src/protocol/blocks.js';
import { freezeBlock } from '../../../src/protocol/frozen-block.js';
import { History } from '../../../src/protocol/history.js';
import { addUsage, NO_USAGE, subtractUsage } from '../../../src/protocol/usage.js';

const never = { request: () => [] as never };

it('EX-24: the prefix declares the search and nothing else, and loads as it was frozen', () => {
  const provider = anthropicProvider(never);
  const prefix = provider.search?.freezePrefix({
    model: 'claude-opus-5',
    system: ['Search.'],
    maxSearches: 3,
    blockedDomains: ['a.org'],
  });
  if (prefix === undefined) throw new Error('no search');
  expect(prefix.bytes.toString()).toBe(
    '{"api_version":"2023-06-01","betas":[],"model":"claude-opus-5","tools":[{"type":"web_search_20250305","name":"web_search","max_uses":3,"blocked_domains":["a.org"]}],"system":[{"type":"text","text":"Search."}]}',
  );
  const loaded = provider.loadPrefix(prefix.bytes);
  expect(loaded.sha256).toBe(prefix.sha256);
  // Not our tool: we could not run it.
  expect(loaded.tools).toEqual([]);
  const history = History.of([{ role: 'user', blocks: [freezeBlock(text('hi'))] }]);
  const body = buildBody({ prefix: loaded, history, maxTokens: 10, cacheLifetime: '5m', breakpoints: [] });
  expect(JSON.parse(body.toString()).tools).toEqual([
    { type: 'web_search_20250305', name: 'web_search', max_uses: 3, blocked_domains: ['a.org'] },
  ]);
});

async function read(blocks: readonly object[], usage: object = {}): Promise<ModelEvent[]> {
  const wire = [
    { type: 'message_start', message: { id: 'm', model: 'x', usage: { input_tokens: 5, output_tokens: 1 } } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2, ...usage } },
    { type: 'message_stop' },
  ] as unknown as WireEvent[];
  async function* stream() {
    yield* wire;
  }
  const events: ModelEvent[] = [];
  for await (const event of readStream(stream())) events.push(event);
  return events;
}

const searchOf = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === 'search-finished' ? [event.search] : []));

it('EX-24: a search and its answer are read, and stored unchanged', async () => {
  const result = {
    type: 'web_search_tool_result',
    tool_use_id: 's1',
    caller: { type: 'direct' },
    content: [
      { type: 'web_search_result', title: 'T', url: 'https://a.org', encrypted_content: 'e', page_age: null, extra: 1 },
      { type: 'something else' },
    ],
  };
  const events = await read(
    [
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'server_tool_use', id: 's1', name: 'web_search', input: {}, caller: { type: 'direct' } },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"query":' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: ' "q"}' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: result },
      { type: 'content_block_stop', index: 1 },
    ],
    { server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } },
  );
  const [asked, found] = searchOf(events);
  expect(asked?.part).toEqual({ kind: 'asked', id: 's1', query: 'q' });
  expect(Buffer.from(asked?.frozen.bytes ?? []).toString()).toBe(
    '{"type":"server_tool_use","id":"s1","name":"web_search","caller":{"type":"direct"},"input":{"query": "q"}}',
  );
  expect(found?.part).toEqual({ kind: 'found', id: 's1', hits: [{ title: 'T', url: 'https://a.org' }] });
  expect(JSON.parse(Buffer.from(found?.frozen.bytes ?? []).toString())).toEqual(result);
  expect(events.at(-1)).toMatchObject({ type: 'response-finished', usage: { input: 5, output: 2, webSearches: 1 } });
});

it('EX-24: an error is read by its code; a search that can’t be sent back is left out', async () => {
  const events = await read([
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"query' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: {
        type: 'web_search_tool_result',
        tool_use_id: 's2',
        content: { type: 'web_search_tool_result_error', error_code: 'query_too_long' },
      },
    },
    { type: 'content_block_stop', index: 1 },
  ]);
  expect(searchOf(events).map(({ part }) => part)).toEqual([{ kind: 'failed', id: 's2', code: 'query_too_long' }]);
  expect(events.at(-1)).toEqual({
    type: 'response-finished',
    stop: 'end_turn',
    usage: { input: 5, output: 2, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
  });
});

it('EX-24: a thousand searches cost 10 dollars; settings may change that', () => {
  const usage = { ...NO_USAGE, webSearches: 1_000 };
  expect(costOf(usage, modelData('claude-opus-5'))).toBe(10);
  const prices = { input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1, webSearch: 3 };
  expect(costOf(usage, modelData('claude-opus-5', { models: { 'claude-opus-5': { prices } } }))).toBe(3);
  expect(costOf(usage, modelData('mine'))).toBeUndefined();
});

it('EX-24: searches add up, and a usage without any is unchanged', () => {
  const two = { ...NO_USAGE, webSearches: 2 };
  expect(addUsage(two, two)).toEqual({ ...NO_USAGE, webSearches: 4 });
  expect(subtractUsage(two, two)).toEqual(NO_USAGE);
  expect(Object.keys(addUsage(NO_USAGE, NO_USAGE))).toEqual(Object.keys(NO_USAGE));
});

/** The server: access, endpoints, streams, stored requests, closing. */

import { afterEach, describe, expect, it } from 'vitest';
import type { WireResponse } from '../../../src/model/anthropic/wire.js';
import { startSim } from '../../../src/sim/index.js';
import { errorOf, eventsOf, HEADERS, marked, post, requestOf, result, sdk, user } from './ask.js';
import { hello, sim, start } from './start-sim-stage.js';

const ask = requestOf([user('hi')]);

afterEach(() => sim.close());

describe('SF-9: access and endpoints', () => {
  it.each([
    ['no key', { 'anthropic-version': '1' }, 401, 'authentication_error'],
    ['a wrong key', { ...HEADERS, 'x-api-key': 'other' }, 401, 'authentication_error'],
    ['a wrong token', { authorization: 'Bearer other', 'anthropic-version': '1' }, 401, 'authentication_error'],
    ['no version', { 'x-api-key': 'right' }, 400, 'invalid_request_error'],
  ])('SF-9: %s is refused in the shape of the API', async (_, headers, status, type) => {
    await start({ scenario: hello, key: 'right' });
    const response = await post(sim.url, ask, headers as Record<string, string>);
    expect(await errorOf(response)).toMatchObject({ status, type });
    expect(response.headers.get('request-id')).toMatch(/^req_/);
  });

  it('SF-9: a key or a bearer token is taken', async () => {
    await start({ scenario: hello, key: 'right' });
    expect((await post(sim.url, ask, { ...HEADERS, 'x-api-key': 'right' })).status).toBe(200);
    expect((await post(sim.url, ask, { authorization: 'Bearer right', 'anthropic-version': '1' })).status).toBe(200);
  });

  it('SF-9: an unknown path is a 404 in the API’s format', async () => {
    await start({ scenario: hello });
    expect(await errorOf(await fetch(`${sim.url}/v1/elsewhere`, { headers: HEADERS }))).toMatchObject({
      status: 404,
      type: 'not_found_error',
    });
  });

  it('SF-9: tokens are counted as they are for messages', async () => {
    await start({ scenario: hello });
    const counted = await sdk(sim.url).messages.countTokens({
      model: ask.model,
      messages: [{ role: 'user', content: 'x'.repeat(400) }],
    });
    expect(counted.input_tokens).toBe(100);
  });

  it('SF-10: a request that breaks a rule is refused with its message', async () => {
    await start({ scenario: hello });
    const refused = await errorOf(await post(sim.url, requestOf([user(result('t1'))])));
    expect(refused).toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect(refused.message).toContain('unexpected `tool_use_id`');
    expect(sim.requests[0]).toMatchObject({ status: 400, error: refused.message });
  });

  it('SF-10: no JSON, bytes that are no text, and half characters are refused', async () => {
    await start({ scenario: hello });
    expect((await errorOf(await post(sim.url, '{"model":'))).message).toContain('not valid JSON');
    const half = JSON.stringify(ask).replace('hi', '\\ud83c');
    expect((await errorOf(await post(sim.url, half))).message).toContain('no low surrogate');
    const bytes = Buffer.from([0x22, 0xff, 0x22]);
    const response = await fetch(`${sim.url}/v1/messages`, { method: 'POST', headers: HEADERS, body: bytes });
    expect((await errorOf(response)).message).toContain('invalid utf-8');
  });
});

describe('SF-9: replies on the wire', () => {
  const rich = [
    {
      reply: [
        { thinking: 'Let me see, grün \u{1f333} '.repeat(20) },
        { redacted: 'hidden' },
        `Of course: ${'ä€\u{1f333} '.repeat(60)}`,
        { tool: 'Read', input: { file_path: '/tmp/ünï', deep: { list: [1, 'zwei'] } } },
        { tool: 'Bash', input: {}, id: 'toolu_mine' },
      ],
    },
  ];

  it('SF-9: a stream has the events of the real API, in its order', async () => {
    await start({ scenario: [{ reply: [{ thinking: 'hm' }, 'Hello', { tool: 'Read', input: { a: 1 } }] }] });
    const response = await post(sim.url, { ...ask, stream: true });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = await eventsOf(response);
    expect(events.map((event) => event.type)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    const deltas = events.flatMap((event) => (event.type === 'content_block_delta' ? [event.delta.type] : []));
    expect(deltas).toEqual(['thinking_delta', 'signature_delta', 'text_delta', 'input_json_delta', 'input_json_delta']);
    expect(events[0]).toMatchObject({ message: { content: [], stop_reason: null, usage: { input_tokens: 1 } } });
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 6 } });
  });

  it.each([1, 2, 3, 4, 5])('SF-9: a stream torn at odd places (seed %i) reads the same as the whole', async (seed) => {
    await start({ scenario: rich, chunk: { seed, least: 1, most: 7 } });
    const client = sdk(sim.url);
    const body = { model: ask.model, max_tokens: 100, messages: [{ role: 'user' as const, content: 'hi' }] };
    const streamed = await client.messages.stream(body).finalMessage();
    const other = await startSim({ scenario: rich });
    const whole = await sdk(other.url).messages.create(body);
    await other.close();
    expect(streamed.content).toEqual(whole.content);
    expect(streamed.id).toBe(whole.id);
    expect(streamed.usage).toMatchObject({ ...whole.usage });
    expect(streamed.stop_reason).toBe('tool_use');
    expect(streamed.content.at(-1)).toMatchObject({ id: 'toolu_mine', name: 'Bash', input: {} });
  });

  it('SF-9: its own reply is accepted unchanged, edited thinking is not', async () => {
    await start({ scenario: [{ when: { result: { tool: 'Read' } }, reply: 'done' }, ...rich] });
    const client = sdk(sim.url);
    const base = { model: ask.model, max_tokens: 100 };
    const first = await client.messages.create({ ...base, messages: [{ role: 'user', content: 'hi' }] });
    const results = first.content.flatMap((block) =>
      block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'ok' }] : [],
    );
    const send = (content: typeof first.content) =>
      client.messages.create({
        ...base,
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: content as never },
          { role: 'user', content: results },
        ],
      });
    expect((await send(first.content)).content).toMatchObject([{ text: 'done' }]);
    const edited = first.content.map((block) => (block.type === 'thinking' ? { ...block, thinking: 'no' } : block));
    await expect(send(edited)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('cannot be modified'),
    });
  });

  it('SF-9: ids are the same in every run, and differ for the same prompt asked twice', async () => {
    const ids = async () => {
      const one = await startSim({ scenario: [{ reply: [{ tool: 'Read' }] }] });
      const asked = async () => (await (await post(one.url, ask)).json()) as WireResponse;
      const found = [await asked(), await asked()].map(({ id, content: [block] }) => [
        id,
        block?.type === 'tool_use' && block.id,
      ]);
      await one.close();
      return found;
    };
    const [first, second] = [await ids(), await ids()];
    expect(first).toEqual(second);
    expect(new Set(first.flat()).size).toBe(4);
    await start({});
  });

  it('SF-9: input that is not JSON is streamed as it was written', async () => {
    await start({ scenario: [{ reply: [{ tool: 'Read', json: '{"file_path": "/a' }] }] });
    const events = await eventsOf(await post(sim.url, { ...ask, stream: true }));
    const json = events.map((event) =>
      event.type === 'content_block_delta' && event.delta.type === 'input_json_delta' ? event.delta.partial_json : '',
    );
    expect(json.join('')).toBe('{"file_path": "/a');
  });

  it('SF-10: usage comes from the cache, an entry exists once the response has started, and keys are separate', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const rules = [{ when: { nth: 1 }, times: 1, reply: async () => held.then(() => 'first') }, { reply: 'later' }];
    await start({ scenario: rules });
    const body = requestOf([user(marked('x'.repeat(8_000)), 'hi')]);
    const first = post(sim.url, body);
    await sim.received(1);
    await post(sim.url, body);
    release();
    await first;
    await post(sim.url, body);
    await post(sim.url, body, { ...HEADERS, 'x-api-key': 'key-two' });
    const reads = sim.requests.map((request) => request.usage?.cache_read_input_tokens);
    // The second began before the first, so the third reads what either wrote.
    expect(reads).toEqual([0, 0, 2_000, 0]);
    expect(sim.requests[2]?.usage).toMatchObject({ input_tokens: 1, cache_creation_input_tokens: 0 });
  });

  it('SF-10: lifetimes follow the clock given', async () => {
    let now = 0;
    await start({ scenario: hello, clock: { now: () => now, sleep: async () => {} } });
    const body = requestOf([user(marked('x'.repeat(8_000)))]);
    for (const minutes of [0, 4, 8, 14]) {
      now = minutes * 60_000;
      await post(sim.url, body);
    }
    expect(sim.requests.map((request) => request.usage?.cache_read_input_tokens)).toEqual([0, 2_000, 2_000, 0]);
    expect(sim.requests[3]?.at).toBe(14 * 60_000);
  });

  it('SF-10: a rule may override the counted usage', async () => {
    await start({ scenario: [{ reply: 'a', usage: { input: 5, output: 6, cacheRead: 7, cacheWrite1h: 8 } }] });
    expect(((await (await post(sim.url, ask)).json()) as WireResponse).usage).toEqual({
      input_tokens: 5,
      output_tokens: 6,
      cache_read_input_tokens: 7,
      cache_creation_input_tokens: 8,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 8 },
    });
  });

  it('SF-9: time to the first token and between events is slept on the clock given', async () => {
    const slept: number[] = [];
    const clock = { now: () => 0, sleep: async (ms: number) => void slept.push(ms) };
    await start({ scenario: [{ reply: 'a', delay: { eventMs: 5 } }, { reply: 'b' }], clock, ttftMs: 300 });
    await (await post(sim.url, { ...ask, stream: true })).text();
    expect(slept).toEqual([300, 5, 5, 5, 5, 5, 5]);
  });
});

describe('SF-9: stored requests, and closing', () => {
  it('SF-9: every request is stored as received, with its outcome', async () => {
    const seen: number[] = [];
    await start({ scenario: [{ name: 'greet', reply: 'Hello' }], onRequest: (request) => seen.push(request.index) });
    const text = JSON.stringify(ask, null, 1);
    await (await post(sim.url, text)).json();
    const [request] = sim.requests;
    expect(request?.raw.toString()).toBe(text);
    expect(request?.body.messages).toHaveLength(1);
    expect(request?.headers['x-api-key']).toBe('key-one');
    expect(request).toMatchObject({
      path: '/v1/messages',
      status: 200,
      rule: '1. greet',
      stop: 'end_turn',
      ended: 'answered',
    });
    expect(sim.report()).toContain('#0 POST /v1/messages · → 200 · rule 1. greet');
    expect(seen).toEqual([0]);
  });

  it('SF-9: bodies need not be stored', async () => {
    await start({ scenario: hello, keepBodies: false });
    await post(sim.url, ask);
    expect(sim.requests[0]?.raw).toHaveLength(0);
  });

  it('SF-9: closing ends idle and busy connections', async () => {
    await start({ scenario: [{ when: { user: 'wait' }, fault: 'silence' }, { reply: 'ok' }] });
    await (await post(sim.url, ask)).json();
    const busy = post(sim.url, { ...requestOf([user('wait')]), stream: true }).then((response) => response.text());
    const ended = expect(busy).rejects.toThrow();
    await sim.received(2);
    await sim.close();
    await ended;
    await expect(post(sim.url, ask)).rejects.toThrow();
  });

  it('SF-9: a client that leaves is noticed', async () => {
    await start({ scenario: [{ fault: 'silence' }] });
    const leaving = new AbortController();
    const response = await post(sim.url, { ...ask, stream: true }, HEADERS, leaving.signal);
    expect(response.status).toBe(200);
    leaving.abort();
    await expect.poll(() => sim.requests[0]?.ended).toBe('client left');
  });
});

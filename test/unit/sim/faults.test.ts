/** Faults on demand, as a client meets them. */

import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import type { WireResponse } from '../../../src/model/anthropic/wire.js';
import { type Fault, type FaultKind, type Rule, type Sim, startSim } from '../../../src/sim/index.js';
import { assistant, errorOf, eventsOf, HEADERS, marked, post, requestOf, sdk, user } from './ask.js';

let sim: Sim;
afterEach(() => sim.close());

const ask = requestOf([user('hi')]);
const streaming = { ...ask, stream: true };

async function askWith(
  fault: Fault | FaultKind,
  body: unknown = streaming,
  more: Partial<Rule> = {},
): Promise<Response> {
  sim = await startSim({ scenario: [{ reply: ['Hello there', { tool: 'Read', input: { a: 'b' } }], fault, ...more }] });
  return post(sim.url, body);
}

/** The part of a body that arrives, and whether it ended normally. */
async function received(response: Response): Promise<{ text: string; broken: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const part of response.body ?? []) text += decoder.decode(part, { stream: true });
    return { text, broken: false };
  } catch {
    return { text, broken: true };
  }
}

const eventCount = (text: string) => text.split('\n\n').length - 1;

describe('SF-11: responses that are errors', () => {
  it.each<[string, Fault | FaultKind, number, string, string | null]>([
    ['429', 'rate_limit', 429, 'rate_limit_error', null],
    ['429 with retry-after', { kind: 'rate_limit', retryAfter: 7 }, 429, 'rate_limit_error', '7'],
    ['529', 'overloaded', 529, 'overloaded_error', null],
    ['529 with retry-after', { kind: 'overloaded', retryAfter: 0 }, 529, 'overloaded_error', '0'],
    ['500', 'server_error', 500, 'api_error', null],
    ['502', { kind: 'server_error', status: 502 }, 502, 'api_error', null],
    ['503', { kind: 'server_error', status: 503, retryAfter: 3 }, 503, 'api_error', '3'],
    ['504', { kind: 'server_error', status: 504 }, 504, 'timeout_error', null],
    ['413', 'too_large', 413, 'request_too_large', null],
    ['401', 'unauthorized', 401, 'authentication_error', null],
    ['404', 'no_model', 404, 'not_found_error', null],
    ['overflow', 'overflow', 400, 'invalid_request_error', null],
  ])('SF-11: %s', async (_, fault, status, type, retryAfter) => {
    const response = await askWith(fault);
    expect(response.headers.get('retry-after')).toBe(retryAfter);
    expect(await errorOf(response)).toMatchObject({ status, type });
    expect(sim.requests[0]).toMatchObject({ status, rule: '1. any request' });
  });

  it('SF-11: overflow and a bad block have the API’s messages', async () => {
    expect((await errorOf(await askWith('overflow'))).message).toBe(
      'prompt is too long: 1000001 tokens > 1000000 maximum',
    );
    await sim.close();
    const path = 'messages.2.content.0.image.source.base64.data';
    expect((await errorOf(await askWith({ kind: 'bad_block', path }))).message).toBe(
      `${path}: Could not process image`,
    );
  });

  it('SF-11: a gateway’s page instead of JSON', async () => {
    const response = await askWith({ kind: 'server_error', status: 502, body: 'html' });
    expect(response.status).toBe(502);
    expect(response.headers.get('content-type')).toBe('text/html');
    expect(await response.text()).toContain('<h1>502');
  });

  it('SF-11: the official SDK sees its own errors', async () => {
    await askWith('rate_limit');
    const body = { model: ask.model, max_tokens: 1, messages: [{ role: 'user' as const, content: 'hi' }] };
    await expect(sdk(sim.url).messages.create(body)).rejects.toBeInstanceOf(Anthropic.RateLimitError);
  });
});

describe('SF-11: streams that break', () => {
  it('SF-11: a disconnect before the headers', async () => {
    await expect(askWith('disconnect')).rejects.toThrow();
    expect(sim.requests[0]).toMatchObject({ ended: 'cut', fault: 'disconnect' });
    expect(sim.requests[0]?.status).toBeUndefined();
  });

  it('SF-11: a disconnect at every event, and in the middle of it', async () => {
    sim = await startSim({ scenario: [{ reply: 'Hello' }] });
    const events = (await eventsOf(await post(sim.url, streaming))).length;
    for (let at = 0; at < events; at++) {
      for (const inside of [false, true]) {
        sim.use([{ reply: 'Hello', fault: { kind: 'disconnect', at, inside } }]);
        const { text, broken } = await received(await post(sim.url, streaming));
        expect({ at, inside, broken, events: eventCount(text) }).toEqual({ at, inside, broken: true, events: at });
        expect(text.endsWith('\n\n') || text === '').toBe(!inside);
      }
    }
  });

  it.each([
    ['garbage', '<<not an event>>'],
    ['json', '"index":0,"del'],
  ] as const)('SF-11: malformed: %s', async (how, expected) => {
    const { text, broken } = await received(await askWith({ kind: 'malformed', how, at: 3 }));
    expect(broken).toBe(false);
    expect(text.split('\n\n')[3]).toContain(expected);
    expect(text).toContain('message_stop');
  });

  it('SF-11: silence after some events, until the client leaves', async () => {
    const leaving = new AbortController();
    sim = await startSim({ scenario: [{ reply: 'Hello', fault: { kind: 'silence', at: 2 } }] });
    const response = await post(sim.url, streaming, HEADERS, leaving.signal);
    const reader = response.body?.getReader();
    let text = '';
    while (eventCount(text) < 2) text += new TextDecoder().decode((await reader?.read())?.value);
    const next = reader?.read();
    leaving.abort();
    await expect(next).rejects.toThrow();
    await expect.poll(() => sim.requests[0]?.ended).toBe('client left');
  });

  it('SF-11: an error event in mid-stream', async () => {
    const events = await eventsOf(await askWith({ kind: 'error_event', at: 4 }));
    expect(events).toHaveLength(5);
    expect(events[4]).toEqual({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
  });

  it('SF-11: the same without streaming', async () => {
    const broken = await received(await askWith({ kind: 'disconnect', at: 1 }, ask));
    expect(broken.broken).toBe(true);
    await sim.close();
    const half = await received(await askWith('malformed', ask));
    expect(() => JSON.parse(half.text)).toThrow();
    await sim.close();
    expect(await errorOf(await askWith('error_event', ask))).toMatchObject({ status: 529, type: 'overloaded_error' });
  });

  it('SF-10: a response that never began leaves nothing in the cache', async () => {
    const body = { ...requestOf([user(marked('x'.repeat(8_000)))]), stream: true };
    await expect(askWith('disconnect', body)).rejects.toThrow();
    sim.use([{ reply: 'a', fault: { kind: 'disconnect', at: 0, times: 1 } }]);
    await received(await post(sim.url, body));
    await (await post(sim.url, body)).text();
    await (await post(sim.url, body)).text();
    expect(sim.requests.map((request) => request.usage?.cache_read_input_tokens)).toEqual([0, 0, 0, 2_000]);
  });
});

describe('SF-11: replies that end otherwise', () => {
  it('SF-11: max_tokens inside a tool call', async () => {
    const events = await eventsOf(await askWith('max_tokens'));
    const json = events.flatMap((event) =>
      event.type === 'content_block_delta' && event.delta.type === 'input_json_delta' ? [event.delta.partial_json] : [],
    );
    expect(json.join('')).toBe('{"a"');
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'max_tokens' } });
  });

  it.each(['refusal', 'pause_turn'] as const)('SF-11: %s', async (kind) => {
    const response = (await (await askWith(kind, ask)).json()) as WireResponse;
    expect(response.stop_reason).toBe(kind);
  });

  it('SF-11: a paused turn may be continued, where another prefill is refused', async () => {
    sim = await startSim({ scenario: [{ reply: 'Searching', stop: 'pause_turn', times: 1 }, { reply: 'Found' }] });
    await post(sim.url, ask);
    expect((await post(sim.url, requestOf([user('hi'), assistant('Searching')]))).status).toBe(200);
    expect((await post(sim.url, requestOf([user('hi'), assistant('Other')]))).status).toBe(400);
  });

  it('SF-11: a fault may come a few times, then the reply', async () => {
    await askWith({ kind: 'overloaded', times: 2 }, ask);
    const statuses = [(await post(sim.url, ask)).status, (await post(sim.url, ask)).status];
    expect([sim.requests[0]?.status, ...statuses]).toEqual([529, 529, 200]);
  });
});

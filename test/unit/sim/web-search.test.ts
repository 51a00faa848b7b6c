/** EX-24, SF-10: the search that the API runs itself, as the simulated model checks, scripts and streams it. */

import { afterEach, describe, expect, it } from 'vitest';
import { checkRequest, parseScenario, type Rule, type Sim, startSim } from '../../../src/sim/index.js';
import { assistant, eventsOf, MODEL, post, requestOf, sdk, user } from './ask.js';

let sim: Sim | undefined;
afterEach(async () => {
  await sim?.close();
  sim = undefined;
});

const TOOL = { type: 'web_search_20250305', name: 'web_search' } as const;
const PAGE = { title: 'Notes', url: 'https://example.org/notes', text: 'Words of the page', age: 'May 1, 2026' };

const problemOf = (tool: object) => checkRequest({ ...requestOf([user('hi')]), tools: [tool] })?.message;

describe('EX-24: the declaration', () => {
  it.each([
    [{ ...TOOL }],
    [{ ...TOOL, max_uses: 8, allowed_domains: ['example.org', 'docs.example.org/guide'] }],
    [{ ...TOOL, blocked_domains: ['example.org'], user_location: { type: 'approximate', city: 'Bern' } }],
    [{ ...TOOL, allowed_domains: null, blocked_domains: ['a.org'], cache_control: { type: 'ephemeral' } }],
  ])('EX-24: is accepted: %j', (tool) => {
    expect(problemOf(tool)).toBeUndefined();
  });

  it.each([
    [{ ...TOOL, allowed_domains: ['a.org'], blocked_domains: ['b.org'] }, 'only one of'],
    [{ ...TOOL, query: 'x' }, 'tools.0.web_search_20250305.query: Extra inputs are not permitted'],
    [{ ...TOOL, name: 'search' }, "tools.0.web_search_20250305.name: Input should be 'web_search'"],
    [{ type: TOOL.type }, 'tools.0.web_search_20250305.name: Field required'],
    [{ ...TOOL, max_uses: 0 }, 'tools.0.web_search_20250305.max_uses: Input should be greater than 0'],
    [{ ...TOOL, max_uses: 1.5 }, 'max_uses: Input should be a valid integer'],
    [{ ...TOOL, allowed_domains: 'a.org' }, 'allowed_domains: Input should be a valid list'],
    [{ ...TOOL, blocked_domains: ['https://a.org'] }, 'blocked_domains.0: Invalid domain'],
    [{ ...TOOL, user_location: { type: 'exact' } }, "user_location.type: Input should be 'approximate'"],
    [{ ...TOOL, input_schema: { type: 'object' } }, 'input_schema: Extra inputs are not permitted'],
  ])('EX-24: is refused: %j', (tool, message) => {
    expect(problemOf(tool)).toContain(message);
  });
});

describe('EX-24: blocks that come back', () => {
  const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'a' } } as const;
  const found = {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ type: 'web_search_result', title: 'T', url: 'https://a.org', encrypted_content: 'x', page_age: null }],
  } as const;
  const check = (...blocks: Parameters<typeof assistant>) =>
    checkRequest(requestOf([user('hi'), assistant(...blocks), user('more')], { tools: [TOOL] }))?.message;

  it('EX-24: are accepted as they were sent', () => {
    expect(check(use, found, 'text')).toBeUndefined();
    const error = { type: 'web_search_tool_result_error', error_code: 'unavailable' } as const;
    expect(check(use, { ...found, content: error })).toBeUndefined();
  });

  it.each<[string, Parameters<typeof assistant>]>([
    ['`server_tool_use` block before it', [found]],
    ['id: String should match pattern', [{ ...use, id: 'toolu_1' }]],
    ['input: Input should be a valid dictionary', [{ ...use, input: 'x' }]],
    ['content.0.encrypted_content: Field required', [use, { ...found, content: [{ title: 'T', url: 'u' } as never] }]],
    ['hits: Extra inputs are not permitted', [use, { ...found, hits: 1 } as never]],
  ])('EX-24: are refused: %s', (message, blocks) => {
    expect(check(...blocks)).toContain(message);
  });

  it('EX-24: a user message can’t contain a search', () => {
    const body = { ...requestOf([]), messages: [{ role: 'user', content: [use] }] };
    expect(checkRequest(body)?.message).toContain('can only be in `assistant` messages');
  });
});

describe('EX-24: a scripted search', () => {
  const rules: readonly Rule[] = [
    {
      reply: [
        { search: 'what is new', results: [PAGE] },
        { text: 'It is new.', cites: [PAGE] },
      ],
    },
  ];
  const body = requestOf([user('hi')], { tools: [TOOL] });

  it('EX-24: streams as the API does: the query in pieces, the results as one block', async () => {
    sim = await startSim({ scenario: rules });
    const events = await eventsOf(await post(sim.url, { ...body, stream: true }));
    const id = expect.stringMatching(/^srvtoolu_01\w+$/);
    expect(events[0]).toMatchObject({ message: { usage: expect.not.objectContaining({ server_tool_use: {} }) } });
    expect(events.filter(({ type }) => type !== 'ping').slice(1, -2)).toEqual([
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'server_tool_use', id, name: 'web_search', input: {} },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '' } },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{"query":"what is new"}' },
      },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'content_block_start',
        index: 1,
        content_block: {
          type: 'web_search_tool_result',
          tool_use_id: id,
          content: [
            {
              type: 'web_search_result',
              title: 'Notes',
              url: 'https://example.org/notes',
              encrypted_content: expect.stringMatching(/^\w+=*$/),
              page_age: 'May 1, 2026',
            },
          ],
        },
      },
      { type: 'content_block_stop', index: 1 },
      { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } },
      {
        type: 'content_block_delta',
        index: 2,
        delta: {
          type: 'citations_delta',
          citation: {
            type: 'web_search_result_location',
            url: 'https://example.org/notes',
            title: 'Notes',
            encrypted_index: expect.any(String),
            cited_text: 'Words of the page',
          },
        },
      },
      { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'It is new.' } },
      { type: 'content_block_stop', index: 2 },
    ]);
    expect(events.at(-2)).toMatchObject({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { server_tool_use: { web_search_requests: 1 } },
    });
  });

  it('EX-24: the official SDK reads it', async () => {
    sim = await startSim({ scenario: rules, chunk: { seed: 1 } });
    const stream = sdk(sim.url).messages.stream({
      model: MODEL,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'hi' }],
      tools: [TOOL],
    });
    const message = await stream.finalMessage();
    expect(message.content.map(({ type }) => type)).toEqual(['server_tool_use', 'web_search_tool_result', 'text']);
    expect(message.content[2]).toMatchObject({ citations: [{ url: 'https://example.org/notes' }] });
    expect(message.usage.server_tool_use?.web_search_requests).toBe(1);
  });

  it('EX-24: one that fails is not counted; one that pauses can be continued', async () => {
    sim = await startSim({
      scenario: [
        { times: 1, reply: [{ search: 'a', error: 'unavailable' }, { search: 'b' }], stop: 'pause_turn' },
        { reply: 'done' },
      ],
    });
    const first = (await (await post(sim.url, body)).json()) as { content: never[]; stop_reason: string };
    expect(first).toMatchObject({
      content: [
        { type: 'server_tool_use' },
        { content: { type: 'web_search_tool_result_error', error_code: 'unavailable' } },
        { type: 'server_tool_use', input: { query: 'b' } },
      ],
      stop_reason: 'pause_turn',
      usage: expect.not.objectContaining({ server_tool_use: expect.anything() }),
    });
    const goOn = { ...body, messages: [...body.messages, { role: 'assistant', content: first.content }] };
    expect((await post(sim.url, goOn)).status).toBe(200);
  });

  it('EX-24: in a file, with its mistakes named', () => {
    const file = (block: string) => parseScenario(`rules:\n  - reply:\n      - ${block}\n`, 'a.yaml');
    expect(file('{ search: "x", results: [{ title: T, url: "https://a.org" }] }')).toMatchObject({
      scenario: { rules: [{ reply: [{ search: 'x', results: [{ title: 'T', url: 'https://a.org' }] }] }] },
    });
    expect(file('{ search: "x", error: unavailable }')).toHaveProperty('scenario');
    expect(JSON.stringify(file('{ search: "x", error: e, results: [] }'))).toContain('{ search, results, id }');
    expect(JSON.stringify(file('{ search: "x", results: [{ title: T }] }'))).toContain('results.0.url');
  });
});

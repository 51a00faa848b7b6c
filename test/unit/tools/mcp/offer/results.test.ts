/** What servers answer, as the model gets it. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { outcomeText } from '../../../../../src/protocol/outcome.js';
import { createOffering } from '../../../../../src/tools/mcp/offer/make-tools.js';
import { readResultLimits } from '../../../../../src/tools/mcp/offer/result-limits.js';
import { convertResult } from '../../../../../src/tools/mcp/offer/results.js';
import type { Tool } from '../../../../../src/tools/tool.js';
import fc from '../../../../support/fast-check.js';
import { type Bench, makeBench } from '../../tool-bench.js';
import { listed, openServers, PNG, type SmallServer } from './offers.js';

type Setup = { readonly bench: Bench; readonly tool: Tool; readonly servers: ReturnType<typeof openServers> };

const said = (text: string) => ({ content: [{ type: 'text', text }] });

describe('MC-6: results', () => {
  it('text comes as it is, neighbours together', async () => {
    const { outcome } = await answered({
      content: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
    });
    expect(outcome).toEqual({ isError: false, content: [{ type: 'text', text: 'one\ntwo' }] });
  });

  it('the call has the input, the agent and a way to report progress', async () => {
    const { bench, tool, servers } = await setUp((_tool, _input, { progress }) => {
      progress('half\u001b[2J done');
      return said('ok');
    });
    await bench.call(tool, '{"a": {"__proto__": 1}}');
    expect(servers.calls).toEqual([{ tool: 't', input: JSON.parse('{"a": {"__proto__": 1}}'), agentId: 'main' }]);
    expect(bench.progress).toEqual(['half\\u{1b}[2J done']);
  });

  it('isError is a failed call, even without text', async () => {
    expect((await answered({ ...said('no such issue'), isError: true })).outcome).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'no such issue' }],
    });
    const { outcome } = await answered({ content: [], isError: true });
    expect(outcome.isError).toBe(true);
    expect(outcomeText(outcome)).toMatch(/reports an error/);
  });

  it('a server that is gone is a failed call with its reason', async () => {
    const { bench, tool } = await setUp(() => {
      throw new Error('the MCP server s has ended: start it with /mcp');
    });
    expect(await bench.call(tool, {})).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'the MCP server s has ended: start it with /mcp' }],
    });
  });

  it('a cancelled call ends, and reports that its effect is not known', async () => {
    const abort = new AbortController();
    const { bench, tool } = await setUp((_tool, _input, { signal }) => {
      abort.abort();
      signal.throwIfAborted();
    });
    const outcome = await bench.call(tool, {}, { signal: abort.signal });
    expect(outcome.isError).toBe(true);
    expect(outcomeText(outcome)).toMatch(/interrupted.*not known/);
  });

  it('an image is passed on, by what it is and not by what it is called', async () => {
    const { outcome } = await answered({
      content: [{ type: 'image', data: `${PNG.slice(0, 40)}\n${PNG.slice(40)}`, mimeType: 'image/jpeg' }],
    });
    expect(outcome.content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    ]);
  });

  it('images that the API rejects, audio and blobs are saved, and a line names the file', async () => {
    const wide = Buffer.from(PNG, 'base64');
    wide.writeUInt32BE(9_000, 16);
    const { bench, outcome } = await answered({
      content: [
        { type: 'image', data: Buffer.from('<svg/>').toString('base64'), mimeType: 'image/svg+xml' },
        { type: 'image', data: wide.toString('base64'), mimeType: 'image/png' },
        { type: 'audio', data: Buffer.from('RIFFsound').toString('base64'), mimeType: 'audio/wav' },
        {
          type: 'resource',
          resource: { uri: 'x://b', mimeType: '../../evil', blob: Buffer.from('bytes').toString('base64') },
        },
      ],
    });
    const kept = readdirSync(bench.results).sort();
    expect(kept.map((name) => name.replace(/^.*\.\d/, ''))).toEqual(['.svg', '.png', '.wav', '.bin']);
    expect(readFileSync(join(bench.results, kept[3] ?? ''), 'utf8')).toBe('bytes');
    const lines = outcomeText(outcome).split('\n');
    expect(lines[2]).toBe(`[audio audio/wav, 9 bytes: saved to ${join(bench.results, kept[2] ?? '')}]`);
    expect(lines).toHaveLength(5);
  });

  it('not more than twenty images: the others are saved', async () => {
    const { bench, outcome } = await answered({
      content: Array.from({ length: 25 }, () => ({ type: 'image', data: PNG, mimeType: 'image/png' })),
    });
    expect(outcome.content.filter(({ type }) => type === 'image')).toHaveLength(20);
    expect(readdirSync(bench.results)).toHaveLength(5);
  });

  it('a disk that is full loses only the file', async () => {
    const { bench, tool } = await setUp(() => ({
      content: [
        { type: 'audio', data: 'AAAA', mimeType: 'x' },
        { type: 'text', text: 'words' },
      ],
    }));
    const keepOutput = () => Promise.reject(new Error('the disk is full'));
    expect(outcomeText(await bench.call(tool, {}, { keepOutput }))).toBe(
      '[audio x, 3 bytes: it could not be saved (the disk is full)]\nwords',
    );
  });

  it('embedded resources and links', async () => {
    const { outcome } = await answered({
      content: [
        { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'hello' } },
        { type: 'resource_link', uri: 'file:///b', name: 'b', description: 'the\nother' },
        { type: 'from the future', x: 1 },
      ],
    });
    expect(outcomeText(outcome)).toBe(
      [
        '[resource file:///a (text/plain)]',
        'hello',
        '[link to the resource b, uri file:///b: the other. ReadMcpResource reads it: server "s"]',
        '[a part of the type from the future is not shown]',
      ].join('\n'),
    );
  });

  it('structured content is shown if no text repeats it', async () => {
    expect(outcomeText((await answered({ content: [], structuredContent: { a: [1] } })).outcome)).toBe('{"a":[1]}');
    expect(outcomeText((await answered({ ...said('one'), structuredContent: { a: 1 } })).outcome)).toBe('one');
    const audio = { content: [{ type: 'audio', data: 'AAAA' }], structuredContent: { a: 1 } };
    expect(outcomeText((await answered(audio)).outcome)).toMatch(/^{"a":1}\n\[audio/);
  });

  it.each([
    undefined,
    null,
    7,
    {},
    { content: null },
    { content: [null, 1, 'x', {}] },
    { content: [{ type: 'text' }] },
  ])('%j is no output', async (result) => {
    const { outcome } = await answered(result);
    expect(outcome.isError).toBe(false);
    expect(outcomeText(outcome)).toMatch(/no output|not shown/);
  });
});

describe('MC-20: size', () => {
  it('25,000 tokens stay; of more, the start and the end, and all of it in a file', async () => {
    expect(outcomeText((await answered(said('x'.repeat(100_000)))).outcome)).toHaveLength(100_000);
    const { bench, outcome } = await answered(said('y'.repeat(100_001)));
    expect(outcomeText(outcome).length).toBeLessThanOrEqual(100_000);
    const [kept = ''] = readdirSync(bench.results);
    expect(readFileSync(join(bench.results, kept), 'utf8')).toHaveLength(100_001);
    expect(outcomeText(outcome)).toContain(join(bench.results, kept));
  });

  it('letters that are a token each are estimated as one', async () => {
    const { outcome } = await answered(said('木'.repeat(60_000)));
    expect(outcomeText(outcome).length).toBeLessThanOrEqual(25_000);
  });

  it('MAX_MCP_OUTPUT_TOKENS sets the limit, also for what tools ask for', async () => {
    const env = { MAX_MCP_OUTPUT_TOKENS: '5000' };
    expect(outcomeText((await answered(said('x'.repeat(30_000)), {}, env)).outcome).length).toBeLessThanOrEqual(20_000);
    const meta = { _meta: { 'anthropic/maxResultSizeChars': 90_000 } };
    expect(outcomeText((await answered(said('x'.repeat(30_000)), meta, env)).outcome).length).toBeLessThanOrEqual(
      20_000,
    );
    expect(readResultLimits({ MAX_MCP_OUTPUT_TOKENS: 'many' })).toEqual(readResultLimits({}));
  });

  it('anthropic/maxResultSizeChars applies up to 100,000 characters', async () => {
    const meta = (chars: unknown) => ({ _meta: { 'anthropic/maxResultSizeChars': chars } });
    expect(outcomeText((await answered(said('木'.repeat(60_000)), meta(500_000))).outcome)).toHaveLength(60_000);
    expect(outcomeText((await answered(said('x'.repeat(150_000)), meta(500_000))).outcome).length).toBeLessThanOrEqual(
      100_000,
    );
    expect(outcomeText((await answered(said('x'.repeat(30_000)), meta(20_000))).outcome).length).toBeLessThanOrEqual(
      20_000,
    );
    expect(outcomeText((await answered(said('x'.repeat(30_000)), meta('lots'))).outcome)).toHaveLength(30_000);
  });

  it('results from 10,000 tokens on are reported to the user', async () => {
    expect((await answered(said('x'.repeat(39_000)))).bench.progress).toEqual([]);
    expect((await answered(said('x'.repeat(41_000)))).bench.progress).toEqual([
      expect.stringMatching(/large result from s: about 10\d\d\d tokens/),
    ]);
  });
});

it('MC-6, property: any server answer is an outcome with blocks that the API accepts', async () => {
  const key = fc.constantFrom(
    ...'type text data mimeType resource uri blob name content isError structuredContent size __proto__'.split(' '),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(
        'text',
        'image',
        'audio',
        'resource',
        'resource_link',
        PNG,
        '',
        '\ud800',
        null,
        1,
        true,
        'R0lGODlh',
        '/9j/',
      ),
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(key, tie('any'), { maxKeys: 4 }),
    ),
  })).any;
  const block = fc.record(
    {
      type: fc.constantFrom('text', 'image', 'audio', 'resource', 'resource_link', 'x'),
      text: value,
      data: value,
      resource: value,
      uri: value,
    },
    { requiredKeys: ['type'] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(value, fc.record({ content: fc.array(block), structuredContent: value, isError: value })),
      async (result) => {
        const outcome = await convertResult(result, {
          callId: '../c',
          server: 's',
          keepOutput: async (name) => `/kept/${name}`,
        });
        for (const part of outcome.content) {
          if (part.type === 'text') expect(typeof part.text).toBe('string');
          else
            expect(part).toMatchObject({
              type: 'image',
              source: { type: 'base64', data: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) },
            });
        }
        expect(outcomeText(outcome)).not.toContain('/kept/..');
      },
    ),
    { numRuns: 300 },
  );
});

async function setUp(
  call: SmallServer['call'],
  more: Readonly<Record<string, unknown>> = {},
  env = {},
): Promise<Setup> {
  const servers = openServers({ s: { tools: [listed('t', more)], ...(call ? { call } : {}) } });
  const { tools } = createOffering(servers, readResultLimits(env)).make(servers.offers, servers.parts());
  return { bench: await makeBench(), tool: tools[0] as Tool, servers };
}

/** The outcome of a call that the server answers so. */
async function answered(result: unknown, more: Readonly<Record<string, unknown>> = {}, env = {}) {
  const { bench, tool } = await setUp(() => result, more, env);
  return { bench, outcome: await bench.call(tool, {}) };
}

/** ListMcpResources and ReadMcpResource. */

import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { outcomeText } from '../../../../../src/protocol/outcome.js';
import { createResourceTools } from '../../../../../src/tools/mcp/offer/resource-tools.js';
import { readResultLimits } from '../../../../../src/tools/mcp/offer/result-limits.js';
import { findTool } from '../../../../../src/tools/registry.js';
import type { Tool } from '../../../../../src/tools/tool.js';
import { makeBench } from '../../tool-bench.js';
import { openServers, PNG, type SmallServer } from './offers.js';

function open(servers: Readonly<Record<string, SmallServer>>) {
  const tools = createResourceTools(openServers(servers), readResultLimits({}));
  return {
    list: findTool(tools, 'ListMcpResourcesTool') as Tool,
    read: findTool(tools, 'ReadMcpResourceTool') as Tool,
  };
}

const DOCS: SmallServer = {
  resources: [
    { uri: 'doc://1', name: 'One', mimeType: 'text/plain', description: 'first\nof all', _meta: { big: 1 } },
    { uri: 'doc://2', name: 'Two' },
  ],
  read: (uri) => ({ contents: [{ uri, mimeType: 'text/plain', text: `content of ${uri}` }] }),
};

describe('MC-7, MC-22: listing', () => {
  it('gives entries of all connected servers that have any, one per line', async () => {
    const { list } = open({ 'my docs': DOCS, plain: {}, off: { ...DOCS, status: 'failed' } });
    const lines = (await (await makeBench()).say(list, {})).split('\n').map((line) => JSON.parse(line));
    expect(lines).toEqual([
      { uri: 'doc://1', name: 'One', mimeType: 'text/plain', description: 'first of all', server: 'my docs' },
      { uri: 'doc://2', name: 'Two', server: 'my docs' },
    ]);
  });

  it('of one server, by its name or its part of tool names; a failure is one', async () => {
    const bench = await makeBench();
    const { list } = open({ 'my docs': DOCS, off: { status: 'failed' }, empty: { resources: [] } });
    expect(await bench.say(list, { server: 'my_docs' })).toBe(await bench.say(list, { server: 'my docs' }));
    expect(await bench.say(list, { server: 'empty' })).toBe('No resources.');
    expect(await bench.call(list, { server: 'off' })).toMatchObject({ isError: true });
    expect(await bench.call(list, { server: 'my dogs' })).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'There is no MCP server "my dogs". Nearest: my docs.' }],
    });
  });
});

describe('MC-7, MC-22: reading', () => {
  it('gives the text; declares the server as rules name it', async () => {
    const { read } = open({ 'my docs': DOCS });
    expect(await (await makeBench()).say(read, { server: 'my docs', uri: 'doc://1' })).toBe(
      '[resource doc://1 (text/plain)]\ncontent of doc://1',
    );
    const at = { cwd: '/', home: '/' };
    for (const server of ['my docs', 'my_docs']) {
      expect(read.declare({ server, uri: 'x' }, at)).toEqual([{ kind: 'mcp', server: 'my_docs' }]);
    }
    expect(read.declare({ server: 'un known', uri: 'x' }, at)).toEqual([{ kind: 'mcp', server: 'un_known' }]);
  });

  it('saves what is binary, shows an image, and is bounded', async () => {
    const bench = await makeBench();
    const { read } = open({
      s: {
        resources: [],
        read: (uri) => ({
          contents:
            uri === 'long'
              ? [{ uri, text: 'x'.repeat(200_000) }]
              : [
                  { uri, blob: PNG, mimeType: 'image/png' },
                  { uri, blob: 'AAAA', mimeType: 'application/pdf' },
                ],
        }),
      },
    });
    const outcome = await bench.call(read, { server: 's', uri: 'both' });
    expect(outcome.content.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
    expect(readdirSync(bench.results)).toEqual([expect.stringMatching(/\.pdf$/)]);
    expect((await bench.say(read, { server: 's', uri: 'long' })).length).toBeLessThanOrEqual(100_000);
  });

  it('a server without resources, an unknown one and a bad input are failures with that reason', async () => {
    const bench = await makeBench();
    const { read } = open({
      s: { read: () => Promise.reject(new Error('no such resource')) },
      off: { status: 'failed' },
    });
    for (const [input, words] of [
      [{ server: 's', uri: 'x' }, /no such resource/],
      [{ server: 'off', uri: 'x' }, /does not run/],
      [{ server: 'nowhere', uri: 'x' }, /no MCP server "nowhere"/],
      [{ server: 's' }, /"uri" is missing/],
    ] as const) {
      const outcome = await bench.call(read, input);
      expect(outcome.isError).toBe(true);
      expect(outcomeText(outcome)).toMatch(words);
    }
  });
});

/** What the reference servers offer, over the official SDK: the API takes it, and what they answer comes through. */

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { outcomeText } from '../../../../../src/protocol/outcome.js';
import { checkRequest } from '../../../../../src/sim/checks/check-request.js';
import type { ServerConnection } from '../../../../../src/tools/mcp/connect/connection.js';
import { createOffering } from '../../../../../src/tools/mcp/offer/make-tools.js';
import { nameServers } from '../../../../../src/tools/mcp/offer/names.js';
import { createResourceTools } from '../../../../../src/tools/mcp/offer/resource-tools.js';
import { readResultLimits } from '../../../../../src/tools/mcp/offer/result-limits.js';
import type { ServerAccess } from '../../../../../src/tools/mcp/server-access.js';
import { declareTools, findTool } from '../../../../../src/tools/registry.js';
import type { Tool } from '../../../../../src/tools/tool.js';
import { scratchFolder } from '../../../../support/scratch.js';
import { makeBench } from '../../tool-bench.js';
import { configured, openServers } from './offers.js';

const LIMITS = readResultLimits({});

async function start(name: string, ...args: readonly string[]): Promise<ServerConnection> {
  const module = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`);
  const client = new Client({ name: 'test', version: '1' });
  const file = join(dirname(module), 'dist/index.js');
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [file, ...args], stderr: 'ignore' }),
  );
  onTestFinished(() => client.close());
  return {
    info: undefined,
    instructions: client.getInstructions(),
    offers: { tools: true, resources: true, prompts: true },
    listTools: async () => (await client.listTools()).tools,
    listResources: async () => (await client.listResources()).resources,
    listPrompts: async () => (await client.listPrompts()).prompts,
    callTool: async (tool, input, { signal }) =>
      (await client.callTool({ name: tool, arguments: input }, { signal })) as never,
    readResource: async (uri) => client.readResource({ uri }),
    getPrompt: async (prompt, input) => client.getPrompt({ name: prompt, arguments: input }),
    rootsChanged: () => {},
    close: () => client.close(),
  };
}

async function open(name: string, ...args: readonly string[]) {
  const connection = await start(name, ...args);
  const access: ServerAccess = { ...openServers({ ref: {} }), connection: async () => connection };
  const offer = {
    server: configured('ref'),
    listed: await connection.listTools(),
    instructions: connection.instructions,
    hasResources: connection.offers.resources,
  };
  const made = createOffering(access, LIMITS).make([offer], nameServers(['ref']));
  return { ...made, resources: createResourceTools(access, LIMITS) };
}

/** What the API says to a request with these tools. */
function refusal(tools: readonly Tool[]): string | undefined {
  const declared = declareTools(tools).map(({ inputSchema, ...tool }) => ({ ...tool, input_schema: inputSchema }));
  const messages = [{ role: 'user', content: 'hi' }];
  return checkRequest(
    JSON.parse(JSON.stringify({ model: 'claude-opus-5-5', max_tokens: 9, messages, tools: declared })),
  )?.message;
}

it('MC-8: server-everything', async () => {
  const { tools, dropped, resources } = await open('server-everything');
  expect(dropped).toEqual([]);
  expect(tools.length).toBeGreaterThan(5);
  expect(refusal([...tools, ...resources])).toBeUndefined();
  const bench = await makeBench();
  const tool = (name: string) => findTool(tools, `mcp__ref__${name}`) as Tool;
  expect(await bench.say(tool('echo'), { message: 'hello' })).toBe('Echo: hello');
  const image = await bench.call(tool('get-tiny-image'), {});
  expect(image.content.map(({ type }) => type)).toContain('image');
  const wrong = await bench.call(tool('echo'), { message: 7 });
  expect(wrong.isError).toBe(true);
  const [first = ''] = (await bench.say(findTool(resources, 'ListMcpResources') as Tool, {})).split('\n');
  const { uri, server } = JSON.parse(first) as { readonly uri: string; readonly server: string };
  expect(await bench.say(findTool(resources, 'ReadMcpResource') as Tool, { server, uri })).toContain(
    `[resource ${uri}`,
  );
});

it('MC-8: server-filesystem', async () => {
  const folder = await scratchFolder();
  const { tools, dropped } = await open('server-filesystem', folder);
  expect(dropped).toEqual([]);
  expect(refusal(tools)).toBeUndefined();
  const bench = await makeBench();
  const tool = (name: string) => findTool(tools, `mcp__ref__${name}`) as Tool;
  const path = join(folder, 'a.txt');
  expect((await bench.call(tool('write_file'), { path, content: 'words' })).isError).toBe(false);
  expect(await bench.say(tool('read_text_file'), { path })).toBe('words');
  const missing = await bench.call(tool('read_text_file'), { path: join(folder, 'none') });
  expect(missing.isError).toBe(true);
  expect(outcomeText(missing)).toMatch(/ENOENT/);
  expect(tool('read_text_file').concurrent).toBe(true);
  expect(tool('write_file').concurrent).toBe(false);
});

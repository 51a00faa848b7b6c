/** Servers of a library's user: objects in this process and entries, next to those of files. */

import { McpServer } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { createSession } from '../../../src/front/sdk/open-session.js';
import { smallServer } from '../../support/mcp/small-server.js';
import { callsFor, mcpNames, resultsIn, wordsIn } from '../../support/mcp/told.js';
import { expectAllAccepted, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

function makeServer(): McpServer {
  const server = new McpServer({ name: 'own', version: '1' }, { instructions: 'Count with me.' });
  const inputSchema = z.object({ a: z.number(), b: z.number() });
  server.registerTool('add', { description: 'Adds', inputSchema }, ({ a, b }) => ({
    content: [{ type: 'text', text: `the sum is ${a + b}` }],
  }));
  return server;
}

const ADD = { tool: 'mcp__own__add', input: { a: 2, b: 3 } };

it('MC-1 createSession takes servers as objects and as entries; servers() shows their status', async () => {
  const stage = await setStage([
    ...callsFor('add', [ADD, { tool: 'mcp__small__echo', input: { words: 'entry' } }]),
    { reply: 'ok' },
  ]);
  const session = await createSession({
    cwd: stage.folder,
    env: stage.env,
    mcpServers: { own: makeServer(), small: smallServer(), bad: { command: '/no/such/program' }, odd: { url: 'x' } },
    allowedTools: ['mcp__own', 'mcp__small'],
  });
  onTestFinished(() => session.close());
  await session.servers();
  const servers = session.serverReports();
  expect(servers.map(({ name, status, transport }) => [name, status, transport])).toEqual([
    ['bad', 'failed', 'stdio'],
    ['odd', 'skipped', 'unknown'],
    ['own', 'connected', 'in-process'],
    ['small', 'connected', 'stdio'],
  ]);
  expect(servers.find(({ name }) => name === 'own')).toMatchObject({ tools: ['mcp__own__add'], scope: 'library' });
  expect((await session.send('add')).reason, stage.sim.report()).toBe('completed');
  const [sum, echo] = resultsIn(stage.sim.requests.at(-1));
  expect(sum).toMatchObject({ text: 'the sum is 5', isError: false });
  expect(echo?.text).toContain('small echo');
  expect(wordsIn(stage.sim.requests[0])).toContain('Count with me.');
  expectAllAccepted(stage.sim);
});

it('MC-3 an object’s call passes the gate as any other, and its new tools come at the next prompt', async () => {
  const stage = await setStage([...callsFor('add', [ADD]), { reply: 'ok' }]);
  const server = makeServer();
  const session = await stage.open({ mcpServers: { own: server } });
  await session.send('add');
  expect(resultsIn(stage.sim.requests.at(-1))).toMatchObject([
    { isError: true, text: expect.stringContaining('needs the person') },
  ]);
  server.registerTool('later', {}, () => ({ content: [] }));
  await until(() => session.serverReports()[0]?.tools.includes('mcp__own__later') === true);
  await session.send('next');
  expect(mcpNames(stage.sim.requests.at(-1))).toEqual(['mcp__own__add', 'mcp__own__later']);
});

it('MC-1 a library’s entry wins over a file’s of the same name; strict leaves the files out; a second session can use the object', async () => {
  const stage = await setStage([...callsFor('add', [ADD]), { reply: 'ok' }]);
  await stage.settings({ mcpServers: { own: smallServer({ name: 'file' }), other: smallServer() } });
  const server = makeServer();
  const options = { mcpServers: { own: server }, allowedTools: ['mcp__own'] };
  const first = await stage.open(options);
  await first.send('hello');
  expect(mcpNames(stage.sim.requests.at(-1))).toEqual(['mcp__other__echo', 'mcp__own__add']);
  await first.close();
  const second = await stage.open({ ...options, strictMcpConfig: true });
  await second.send('add');
  expect(mcpNames(stage.sim.requests.at(-1))).toEqual(['mcp__own__add']);
  expect(resultsIn(stage.sim.requests.at(-1)).at(-1)?.text).toBe('the sum is 5');
});

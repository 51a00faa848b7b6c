/** The MCP server of a session by itself, with a client in the same process (MC-9). */

import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { serveSession } from '../../../../src/front/mcp-server/serve-session.js';
import { readingTool, setStage } from '../../../support/story.js';
import { until } from '../../../support/until.js';

it('MC-9, EX-16: a list of tools that changes is reported; those that speak to the user are not in it', async () => {
  const stage = await setStage();
  const session = await stage.open({ onlyCalls: true, tools: [readingTool('One', async () => 'one')] });
  let ids = 0;
  const server = serveSession(session, () => String(++ids));
  const [near, far] = InMemoryTransport.createLinkedPair();
  const changes: string[] = [];
  const client = new Client(
    { name: 'test', version: '1' },
    { listChanged: { tools: { autoRefresh: false, onChanged: () => changes.push('tools') } } },
  );
  await Promise.all([server.connect(far), client.connect(near)]);
  onTestFinished(() => client.close());
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  expect(await names()).toContain('One');
  // Nobody sits at this session to answer what these ask.
  expect((await names()).filter((name) => /AskUser|ExitPlan/.test(name))).toEqual([]);
  await expect(client.callTool({ name: 'ExitPlanMode', arguments: { plan: 'x' } })).rejects.toThrow('There is no tool');
  session.addTools([readingTool('Two', async () => 'two')]);
  expect(await client.callTool({ name: 'One', arguments: {} })).toMatchObject({ content: [{ text: 'one' }] });
  await until(() => changes.length === 1, 'the change was told');
  expect(await names()).toContain('Two');
  expect(await client.callTool({ name: 'Two', arguments: {} })).toMatchObject({ content: [{ text: 'two' }] });
  expect(changes).toEqual(['tools']);
});

it('MC-9: what a tool reports goes to the call that asked for it, and to no other', async () => {
  const stage = await setStage();
  const session = await stage.open({ onlyCalls: true });
  let ids = 0;
  const server = serveSession(session, () => String(++ids));
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(far), client.connect(near)]);
  onTestFinished(() => client.close());
  const told: Record<string, string[]> = { a: [], b: [] };
  const bash = (name: string) =>
    client.callTool(
      { name: 'Bash', arguments: { command: `echo ${name}` } },
      { onprogress: ({ message }) => void told[name]?.push(message ?? '') },
    );
  await Promise.all([bash('a'), bash('b')]);
  expect(told.a?.some((line) => line.includes('b'))).toBe(false);
  expect(told.b?.some((line) => line.includes('a'))).toBe(false);
});

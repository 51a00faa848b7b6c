/** Servers that a library's user made: objects in this process. */

import type { Transport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import * as z from 'zod';
import type { InProcessServer } from '../../../../../src/config/mcp/server-config.js';
import { callOptions, setStage, textOf } from './connect-stage.js';

function makeServer(): McpServer {
  const server = new McpServer({ name: 'own', version: '1' }, { instructions: 'Be kind.' });
  const inputSchema = z.object({ list: z.array(z.string()) });
  server.registerTool('add', { description: 'Adds', inputSchema }, ({ list }) => {
    list.push('added');
    return { content: [{ type: 'text', text: list.join() }] };
  });
  server.registerTool('fail', {}, () => {
    throw new Error('it broke');
  });
  return server;
}

const inProcess = (server: unknown) => ({ kind: 'in-process', server: server as InProcessServer }) as const;

it('MC-1: an object is connected in this process, and what it does to its input stays its own', async () => {
  const stage = await setStage();
  const server = makeServer();
  const connection = await stage.open(inProcess(server));
  expect(connection.instructions).toBe('Be kind.');
  expect((await connection.listTools()).map(({ name }) => name)).toEqual(['add', 'fail']);
  const input = { list: ['one'] };
  expect(textOf(await connection.callTool('add', input, callOptions()))).toBe('one,added');
  expect(input).toEqual({ list: ['one'] });
  expect((await connection.callTool('fail', {}, callOptions())).isError).toBe(true);
  server.registerTool('later', {}, () => ({ content: [] }));
  await expect.poll(() => stage.changes).toContain('tools');
  await connection.close();
  expect(stage.losses).toEqual([]);
  const again = await stage.open(inProcess(server));
  expect(await again.listTools()).toHaveLength(3);
  await server.close();
  expect(stage.losses).toEqual(['it closed the connection']);
  await expect(again.listTools()).rejects.toThrow('MCP server one: it closed the connection');
});

it('MC-1: a server’s changes to a message do not reach our objects', async () => {
  const stage = await setStage();
  const server = {
    connect: async (transport: Transport) => {
      transport.onmessage = (message) => {
        if (!('id' in message) || !('method' in message)) return;
        const given = message.params?.arguments as { list?: string[] } | undefined;
        given?.list?.push('changed');
        const serverInfo = { name: 'own', version: '1' };
        const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo, content: [] };
        void transport.send({ jsonrpc: '2.0', id: message.id, result });
      };
      await transport.start();
    },
  };
  const connection = await stage.open(inProcess(server));
  const input = { list: ['one'] };
  await connection.callTool('add', input, callOptions());
  expect(input).toEqual({ list: ['one'] });
});

it('MC-1: an object that is none, or fails, is a failure', async () => {
  const stage = await setStage();
  expect(await stage.connect(inProcess({}))).toMatchObject({ ok: false, kind: 'failed' });
  const broken = { connect: () => Promise.reject(new Error('not today')) };
  expect(await stage.connect(inProcess(broken))).toMatchObject({ ok: false, reason: 'not today' });
});

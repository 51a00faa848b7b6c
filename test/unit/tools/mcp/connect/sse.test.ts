/** Servers that speak by server-sent events, as it was before. */

import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { realClock } from '../../../../../src/host/clock.js';
import { serve } from '../../../../support/plain-server.js';
import { until } from '../../../../support/until.js';
import { callOptions, setStage, textOf } from './connect-stage.js';

/** Each stream is a session of its own, that must begin with `initialize`. */
async function serveSse(endpoint = (session: number) => `/post?session=${session}`) {
  const streams: ServerResponse[] = [];
  const begun = new Set<number>();
  const hanging: unknown[] = [];
  const { url } = await serve((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: ${endpoint(streams.length)}\n\n`);
      streams.push(response);
      return;
    }
    let body = '';
    request.on('data', (piece: Buffer) => {
      body += piece;
    });
    request.on('end', () => {
      const session = Number(new URL(request.url ?? '', url).searchParams.get('session'));
      const { id, method, params } = JSON.parse(body);
      if (method === 'initialize') begun.add(session);
      if (!begun.has(session) || streams[session]?.destroyed)
        return void response.writeHead(404).end('no such session');
      response.writeHead(202).end();
      if (id === undefined) return;
      if (params?.name === 'hang') return void hanging.push(id);
      const serverInfo = { name: 'sse', version: '1' };
      const initialized = { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo };
      const result =
        method === 'initialize' ? initialized : { content: [{ type: 'text', text: `by stream ${session}` }] };
      streams[session]?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    });
  });
  return { url: `${url}/sse`, streams, hanging };
}

it('MC-14: a stream that is lost ends its calls, and a new session is begun', async () => {
  const stage = await setStage((host) => ({
    ...host,
    clock: { ...realClock, sleep: (ms, signal) => realClock.sleep(ms / 200, signal) },
  }));
  const server = await serveSse();
  const connection = await stage.open({ kind: 'sse', url: server.url, headers: {} });
  expect(textOf(await connection.callTool('one', {}, callOptions()))).toBe('by stream 0');
  const hanging = connection.callTool('hang', {}, callOptions());
  await until(() => server.hanging.length === 1);
  server.streams[0]?.destroy();
  await expect(hanging).rejects.toThrow('MCP server one: the stream of the server ended');
  expect(textOf(await connection.callTool('one', {}, callOptions()))).toBe('by stream 1');
  expect(server.streams).toHaveLength(2);
  expect(stage.changes).toContain('tools');
  expect(stage.losses).toEqual([]);
});

it('MC-1: an endpoint of another origin is refused', async () => {
  const stage = await setStage();
  const server = await serveSse(() => 'http://elsewhere.example/post');
  const failed = await stage.connect({ kind: 'sse', url: server.url, headers: {} });
  expect(failed).toMatchObject({ ok: false, kind: 'failed', reason: expect.stringContaining('elsewhere.example') });
});

/** Servers over HTTP: how they are reached, refused, lost and found again. */

import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import type { Host } from '../../../../../src/host/host.js';
import type { WebFetch } from '../../../../../src/host/network.js';
import { ManualClock } from '../../../../support/hosts/manual-clock.js';
import { until } from '../../../../support/until.js';
import { callOptions, setStage, textOf } from './connect-stage.js';
import { serveMcp } from './http-server.js';
import { fast, remote, STREAM } from './remote-stage.js';

it('MC-14: 5xx is tried three times in all', async () => {
  const stage = await setStage(fast);
  const late = await serveMcp(
    ({ response }, { heard }) => heard.length < 3 && response.writeHead(503).end('later') && true,
  );
  const connection = await stage.open(remote(late));
  expect(late.count('initialize')).toBe(3);
  expect(textOf(await connection.callTool('one', {}, callOptions()))).toBe('this is one');

  const never = await serveMcp(({ response }) => response.writeHead(500).end('out of \u001b[2J order') && true);
  expect(await stage.connect(remote(never))).toEqual({
    ok: false,
    kind: 'failed',
    reason: expect.stringMatching(/^HTTP status 500: .*out of \\u\{1b\}\[2J order/),
  });
  expect(never.count('initialize')).toBe(3);
});

it.each([
  [401, {}, 'needs-sign-in', 'the server wants a sign-in; run: coppice mcp login one'],
  [401, { authorization: 'Bearer static' }, 'refused', 'refuses the Authorization header of the configuration'],
  [403, {}, 'refused', 'the server refuses access (403)'],
  [404, {}, 'refused', 'there is no MCP server at this URL (404)'],
])('MC-14, MC-25: %i with headers %j is %s, after one try', async (status, headers, kind, reason) => {
  const stage = await setStage(fast);
  const server = await serveMcp(({ response }) => response.writeHead(status).end('no') && true);
  for (const transport of ['http', 'sse'] as const) {
    const auth = { token: async () => undefined, watch: (fetch: WebFetch) => fetch };
    const failed = await stage.connect({ kind: transport, url: server.url, headers }, { auth });
    expect(failed).toMatchObject({ ok: false, kind, reason: expect.stringContaining(reason) });
    expect(server.heard.splice(0)).toHaveLength(1);
  }
});

it('MC-14: a port where nobody listens is tried three times, and said', async () => {
  const stage = await setStage(fast);
  const port = await freePort();
  for (const kind of ['http', 'sse'] as const) {
    const failed = await stage.connect({ kind, url: `http://127.0.0.1:${port}/mcp`, headers: {} });
    expect(failed).toMatchObject({ ok: false, kind: 'failed', reason: expect.stringContaining('ECONNREFUSED') });
  }
});

it('MC-1: what does not speak MCP is a failure that says what came', async () => {
  const stage = await setStage();
  const site = await serveMcp(
    ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>') && true,
  );
  expect(await stage.connect(remote(site))).toMatchObject({ ok: false, reason: expect.stringContaining('text/html') });
  const odd = await serveMcp(
    ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a"') && true,
  );
  expect(await stage.connect(remote(odd))).toMatchObject({ ok: false, kind: 'failed' });
});

it('MC-19: no first byte within 60 seconds ends a call; the connection stays', async () => {
  const clock = new ManualClock();
  const stage = await setStage((host) => ({ ...host, clock }));
  const server = await serveMcp(({ message }) => message.params?.name === 'silent');
  const connection = await stage.open(remote(server));
  const call = connection.callTool('silent', {}, callOptions());
  const settled = expect(call).rejects.toThrow('MCP server one: the server did not begin to answer within 60 seconds');
  await until(() => server.count('tools/call') === 1);
  await clock.advance(60_000);
  await settled;
  expect(textOf(await connection.callTool('two', {}, callOptions()))).toBe('this is two');
  expect(stage.losses).toEqual([]);
});

it('MC-19: a stream without answer and progress ends after 5 minutes, and its request is closed', async () => {
  const clock = new ManualClock();
  const stage = await setStage((host) => ({ ...host, clock }));
  let closed = false;
  const server = await serveMcp(({ message, response }) => {
    if (message.params?.name !== 'slow') return false;
    response.writeHead(200, STREAM).flushHeaders();
    response.on('close', () => {
      closed = true;
    });
    return true;
  });
  const connection = await stage.open(remote(server));
  const settled = expect(connection.callTool('slow', {}, callOptions())).rejects.toThrow(/nor progress for 5 min/);
  await until(() => server.count('tools/call') === 1);
  await clock.settle();
  await clock.advance(5 * 60_000);
  await settled;
  await until(() => closed && server.count('notifications/cancelled') === 1);
});

it('MC-6: a connection that is dropped in the middle of a call ends the call', async () => {
  const stage = await setStage();
  const server = await serveMcp(({ message, response }) => {
    if (message.params?.name === 'cut')
      return response.writeHead(200, STREAM).write(': hello\n\n', () => response.destroy());
    if (message.params?.name === 'ended') return response.writeHead(200, STREAM).end(': hello\n\n') && true;
    return message.params?.name === 'reset' && response.destroy() && true;
  });
  const connection = await stage.open(remote(server));
  const closed = 'the connection was closed before the answer came';
  await expect(connection.callTool('cut', {}, callOptions())).rejects.toThrow(closed);
  await expect(connection.callTool('ended', {}, callOptions())).rejects.toThrow(closed);
  await expect(connection.callTool('reset', {}, callOptions())).rejects.toThrow('MCP server one:');
  expect(server.count('tools/call'), 'none is sent twice').toBe(3);
  expect(textOf(await connection.callTool('two', {}, callOptions()))).toBe('this is two');
});

it('MC-14: a redirect to another origin is not followed, and nothing of ours goes there', async () => {
  const stage = await setStage();
  const other = await serveMcp();
  const server = await serveMcp(({ response }) => response.writeHead(307, { location: other.url }).end() && true);
  const failed = await stage.connect(remote(server, { 'x-key': 'secret-value' }));
  expect(failed).toMatchObject({ ok: false, reason: expect.stringMatching(/HTTP status 307: .*not followed/) });
  expect(other.heard).toEqual([]);
  expect(server.heard, 'it is not asked again').toHaveLength(1);
  const within = await serveMcp(
    ({ path, response }) => path === '/mcp' && response.writeHead(308, { location: '/other' }).end() && true,
  );
  const connection = await stage.open(remote(within, { 'x-key': 'secret-value' }));
  expect(await connection.listTools()).toHaveLength(1);
  expect(within.heard.every(({ headers }) => headers['x-key'] === 'secret-value')).toBe(true);
});

it.each([404, 400])(
  'MC-14: a session that the server has forgotten (%i) is begun anew, and the call made there',
  async (status) => {
    const stage = await setStage(fast);
    const server = await serveMcp(({ headers, response }, { session }) => {
      const isOld = headers['mcp-session-id'] !== undefined && headers['mcp-session-id'] !== session;
      return isOld && response.writeHead(status).end('Bad Request: No valid session ID provided') && true;
    });
    const connection = await stage.open(remote(server));
    await until(() => stage.changes.length > 0, 'it listens');
    server.session = 'second';
    stage.changes.length = 0;
    expect(textOf(await connection.callTool('one', {}, callOptions()))).toBe('this is one');
    expect(server.count('initialize')).toBe(2);
    expect(stage.changes).toEqual(expect.arrayContaining(['tools', 'resources', 'prompts']));
    expect(stage.losses).toEqual([]);
  },
);

it('MC-14: a server that forgets each session at once is asked twice, no more', async () => {
  const stage = await setStage(fast);
  const server = await serveMcp(
    ({ message, response }) => message.method === 'tools/call' && response.writeHead(404).end() && true,
  );
  const connection = await stage.open(remote(server));
  await expect(connection.callTool('one', {}, callOptions())).rejects.toThrow('HTTP status 404');
  expect(server.count('tools/call')).toBe(2);
});

it('MC-14: a session that can’t be begun anew is lost after five tries, told once, and calls say why', async () => {
  const stage = await setStage(fast);
  let isBroken = false;
  const server = await serveMcp(({ response }) => isBroken && response.writeHead(404).end() && true);
  const connection = await stage.open(remote(server));
  isBroken = true;
  await expect(connection.callTool('one', {}, callOptions())).rejects.toThrow(
    'there is no MCP server at this URL (404)',
  );
  expect(stage.losses).toEqual([expect.stringContaining('404')]);
  await expect(connection.callTool('one', {}, callOptions())).rejects.toThrow('404');
  expect(server.count('initialize')).toBe(2);
});

it('MC-14: a server that is gone is waited for, five tries from 1 s, doubling; then the connection is lost', async () => {
  const waits: number[] = [];
  const stage = await setStage((host) => {
    const { clock } = fast(host);
    const sleep: typeof clock.sleep = (ms, signal) => {
      waits.push(ms);
      return clock.sleep(ms, signal);
    };
    return { ...host, clock: { ...clock, sleep } };
  });
  // A port of its own behind which the server comes and goes.
  const server = await serveMcp(({ method, response }) => method === 'GET' && response.writeHead(405).end() && true);
  let target = server.port;
  const host: Host = {
    ...stage.host,
    network: {
      ...stage.host.network,
      webFetch: async (env) => {
        const send = await stage.host.network.webFetch(env);
        return (url, request) => send(String(url).replace(/:\d+/, `:${target}`), request);
      },
    },
  };
  const connection = await stage.open(remote(server), { host });
  waits.length = 0;
  target = await freePort();
  const back = connection.callTool('one', {}, callOptions());
  await until(() => waits.length === 3);
  target = server.port;
  expect(textOf(await back)).toBe('this is one');
  expect(waits).toEqual([1_000, 2_000, 4_000]);

  waits.length = 0;
  target = await freePort();
  await expect(connection.callTool('one', {}, callOptions())).rejects.toThrow('the server can no longer be reached');
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
  await until(() => stage.losses.length > 0);
  expect(stage.losses).toEqual(['the server can no longer be reached']);
});

it('MC-14, MC-16: a stream that ends is opened again, and changes are told before and after', async () => {
  const stage = await setStage(fast);
  const server = await serveMcp();
  const connection = await stage.open(remote(server));
  const told = () => stage.changes.filter((what) => what === 'tools').length;
  const change = () => {
    const message = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    for (const stream of server.streams) stream.write(`data: ${JSON.stringify(message)}\r\n\r\n`);
  };
  await until(() => server.streams.size === 1 && told() === 1, 'it listens, and has looked once');
  change();
  await until(() => told() === 2);
  for (const stream of server.streams) stream.end();
  await until(() => server.streams.size === 1 && told() === 3, 'it listens again');
  change();
  await until(() => told() === 4);
  expect(stage.losses).toEqual([]);
  await connection.close();
  expect(server.heard.at(-1)?.method).toBe('DELETE');
  await until(() => server.streams.size === 0);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

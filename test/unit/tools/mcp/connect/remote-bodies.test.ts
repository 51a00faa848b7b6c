/** Answers over HTTP without end or measure, and what is told of secrets. */

import { mkdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { WebFetch } from '../../../../../src/host/network.js';
import { boundResponse } from '../../../../../src/tools/mcp/connect/channels/bounded-response.js';
import { until } from '../../../../support/until.js';
import { callOptions, setStage } from './connect-stage.js';
import type { HttpServer } from './http-server.js';
import { serveMcp } from './http-server.js';

const MB = 2 ** 20;

const remote = (server: HttpServer, headers = {}) => ({ kind: 'http', url: server.url, headers }) as const;

it.each([
  ['a body', 200, 'application/json', '{"a":"', /larger than 16 MB/],
  ['the body of an error', 500, 'text/plain', 'no', /HTTP status 500/],
])('MC-6: %s without end is left, and fills no memory', async (_what, status, type, start, reason) => {
  const stage = await setStage();
  let poured: { sent: number } | undefined;
  let closed = false;
  const server = await serveMcp(({ message, response }) => {
    if (message.method !== 'tools/call') return false;
    response.on('close', () => {
      closed = true;
    });
    response.writeHead(status, { 'content-type': type }).write(start);
    poured = pour(response, 'x'.repeat(MB));
    return true;
  });
  const connection = await stage.open(remote(server));
  const error = await connection.callTool('one', {}, callOptions()).then(String, (thrown: Error) => thrown.message);
  expect(error).toMatch(reason);
  expect(error.length).toBeLessThan(1_500);
  await until(() => closed, 'the rest is not read');
  expect(poured?.sent).toBeLessThan(200 * MB);
});

it('MC-6: events come through whole, however they are cut into pieces and whatever ends their lines', async () => {
  const events = ['id: 1\ndata: {"a":"é"}\n\n', ': note\n\n', 'data: x\ndata: y\n\n', '\n', 'event: end\ndata: z\n\n'];
  for (const lineEnd of ['\n', '\r\n', '\r']) {
    const bytes = new TextEncoder().encode(events.join('').replaceAll('\n', lineEnd));
    for (const size of [1, 2, 3, 7, 1000]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.slice(at * size, (at + 1) * size),
      );
      const body = new ReadableStream({
        start: (controller) => {
          for (const piece of pieces) controller.enqueue(piece);
          controller.close();
        },
      });
      const given = new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
      const bounded = boundResponse(given);
      expect(await bounded.text(), `${JSON.stringify(lineEnd)} by ${size}`).toBe(events.join(''));
    }
  }
});

it('MC-6: a dropped event that was an answer becomes an error, and any other leaves nothing', async () => {
  const large = `data: ${'x'.repeat(17 * MB)}\n\n`;
  const last = `data: {"result":{"a":"${'x'.repeat(17 * MB)}"},"jsonrpc":"2.0","id":12}\n\n`;
  const given = new Response(`data: 1\n\n${large}data: 2\n\n${last}data: 3\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  });
  const text = await boundResponse(given).text();
  expect(text).toMatch(/^data: 1\n\ndata: 2\n\ndata: \{"jsonrpc":"2.0","id":12,"error":.*\}\n\ndata: 3\n\n$/);
  const none = new Response(null, { status: 204 });
  expect(boundResponse(none)).toBe(none);
});

it('MC-26: headers of the configuration stand in no reason, also if the server repeats them', async () => {
  const stage = await setStage();
  const server = await serveMcp(
    ({ headers, response }) => response.writeHead(418).end(`you sent ${headers.authorization}`) && true,
  );
  const failed = await stage.connect(remote(server, { Authorization: 'Bearer very-secret-token' }));
  expect(failed).toMatchObject({ ok: false, reason: expect.stringContaining('you sent (hidden)') });
  expect(JSON.stringify(failed)).not.toContain('very-secret');
});

it('MC-26: a value that a headersHelper printed later stands in no reason either', async () => {
  const stage = await setStage();
  mkdirSync(join(stage.folder, '.claude'));
  const count = join(stage.folder, 'count');
  const helper = `printf x >> ${count}; echo "{\\"x-key\\": \\"very-secret-$(wc -c < ${count} | tr -d ' ')\\"}"`;
  const server = await serveMcp(({ headers, message, response }) => {
    if (message.method !== 'tools/call') return false;
    response.writeHead(headers['x-key'] === 'very-secret-1' ? 403 : 418).end(`you sent ${headers['x-key']}`);
    return true;
  });
  const connection = await stage.open({ ...remote(server), headersHelper: helper });
  const failure = await connection.callTool('one', {}, callOptions()).catch((error: Error) => error.message);
  expect(failure).toContain('HTTP status 418');
  expect(failure).toContain('you sent (hidden)');
  expect(failure).not.toContain('very-secret');
});

it('MC-25: nor does a token of a sign-in, at the handshake and later', async () => {
  const stage = await setStage();
  let isOdd = false;
  const server = await serveMcp(
    ({ headers, response }) => isOdd && response.writeHead(418).end(`you sent ${headers.authorization}`) && true,
  );
  let token = 'first-token-of-all';
  const auth = { token: async () => token, watch: (fetch: WebFetch) => fetch };
  const connection = await stage.open(remote(server), { auth });
  isOdd = true;
  token = 'second-token-of-all';
  const failure = await connection.callTool('one', {}, callOptions()).catch((error: Error) => error.message);
  expect(failure).toContain('you sent (hidden)');
  const failed = await stage.connect(remote(server), { auth });
  expect(failed).toMatchObject({ ok: false, reason: expect.stringContaining('you sent (hidden)') });
  expect(failure + JSON.stringify(failed)).not.toContain('-of-all');
});

it('MC-26: nor the beginning of one that lies across the place where the words of a server are cut', async () => {
  const stage = await setStage();
  const server = await serveMcp(
    ({ headers, response }) => response.writeHead(418).end(`${'.'.repeat(700)}${headers['x-key']}`) && true,
  );
  const failed = await stage.connect(remote(server, { 'x-key': 'very-secret-'.repeat(40) }));
  expect(failed).toMatchObject({ ok: false, reason: expect.stringMatching(/\.{700}\(hidden\) …/) });
  expect(JSON.stringify(failed)).not.toContain('very-secret');
});

/** Writes until the other side has had enough. Gives how much it took. */
function pour(response: ServerResponse, piece: string): { sent: number } {
  const state = { sent: 0 };
  const more = () => {
    while (!response.destroyed && state.sent < 2048 * MB) {
      state.sent += piece.length;
      if (!response.write(piece)) return void response.once('drain', more);
    }
  };
  more();
  return state;
}

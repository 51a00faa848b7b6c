/** Answers over HTTP without end or measure, and what is told of secrets. */

import { expect, it } from 'vitest';
import { callOptions, setStage, textOf } from '../../../unit/tools/mcp/connect/connect-stage.js';
import type { HttpServer } from '../../../unit/tools/mcp/connect/http-server.js';
import { serveMcp } from '../../../unit/tools/mcp/connect/http-server.js';

const MB = 2 ** 20;

const remote = (server: HttpServer, headers = {}) => ({ kind: 'http', url: server.url, headers }) as const;

it('MC-6: an event of 300 MB is dropped while it comes, its call fails, and the stream goes on', async () => {
  const stage = await setStage();
  const stream = { 'content-type': 'text/event-stream' };
  const server = await serveMcp(({ message: { id, params }, response }) => {
    if (params?.name !== 'large') return false;
    response.writeHead(200, stream);
    void (async () => {
      response.write(`id: 1\ndata: {"jsonrpc":"2.0","id":${id},"result":{"a":"`);
      const piece = 'x'.repeat(MB);
      for (let sent = 0; sent < 300 && !response.destroyed; sent += 1) {
        if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end('"}}\n\n');
    })();
    return true;
  });
  const connection = await stage.open(remote(server));
  const before = process.memoryUsage().rss;
  await expect(connection.callTool('large', {}, callOptions())).rejects.toThrow('larger than 16 MB and was dropped');
  expect((process.memoryUsage().rss - before) / MB).toBeLessThan(250);
  expect(textOf(await connection.callTool('two', {}, callOptions()))).toBe('this is two');
});

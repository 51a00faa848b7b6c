/** An MCP server over HTTP in a few lines of its own, that does with each request what a test says. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve } from '../../../../support/plain-server.js';

export type HeardRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The message that was posted. */
  readonly message: { id?: number; method?: string; params?: { name?: string } };
  readonly response: ServerResponse;
};

export type HttpServer = {
  readonly url: string;
  readonly port: number;
  readonly heard: HeardRequest[];
  /** The streams that clients listen to, which are open. */
  readonly streams: Set<ServerResponse>;
  /** How often a method was called. */
  readonly count: (method: string) => number;
  /** The session that requests must name. */
  session: string;
};

/** `handle` gives true where it has answered itself. Without it, every tool says its name. */
export async function serveMcp(
  handle: (request: HeardRequest, server: HttpServer) => unknown = () => false,
): Promise<HttpServer> {
  const heard: HeardRequest[] = [];
  const streams = new Set<ServerResponse>();
  const { url, port } = await serve((incoming, response) => {
    let body = '';
    incoming.on('data', (piece: Buffer) => {
      body += piece;
    });
    incoming.on('end', () => {
      const message = body === '' ? {} : JSON.parse(body);
      const { method = '', url: path = '', headers } = incoming;
      const request = { method, path, headers, message, response };
      heard.push(request);
      if (handle(request, server) !== true) answer(request, server);
    });
  });
  const count = (method: string) => heard.filter(({ message }) => message.method === method).length;
  const server: HttpServer = { url: `${url}/mcp`, port, heard, streams, count, session: 'first' };
  return server;
}

function answer({ method, headers, message, response }: HeardRequest, server: HttpServer): void {
  const isKnown = message.method === 'initialize' || headers['mcp-session-id'] === server.session;
  if (!isKnown) return void response.writeHead(404).end();
  if (method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    server.streams.add(response);
    response.on('close', () => server.streams.delete(response));
    return;
  }
  if (method === 'DELETE' || message.id === undefined) return void response.writeHead(202).end();
  reply(response, message.id, resultOf(message), { 'mcp-session-id': server.session });
}

export function reply(response: ServerResponse, id: number | undefined, result: unknown, headers = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

function resultOf({ method, params }: HeardRequest['message']): unknown {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'http', version: '1' },
      };
    case 'tools/list':
      return { tools: [{ name: 'one', inputSchema: { type: 'object' } }] };
    default:
      return { content: [{ type: 'text', text: `this is ${params?.name}` }] };
  }
}

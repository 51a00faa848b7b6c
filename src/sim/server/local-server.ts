/** A local HTTP server that reads whole bodies, detects when the client disconnects, and closes immediately. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type LocalServer = { readonly url: string; close(): Promise<void> };

export type Exchange = {
  readonly method: string;
  /** As sent, including the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if it is longer than the API accepts. */
  readonly body: Buffer | undefined;
  readonly response: ServerResponse;
  /** Aborts when the client disconnects or the server closes. */
  readonly gone: AbortSignal;
};

/** The maximum request size of the Messages API. */
const MOST_BODY_BYTES = 32 * 1024 * 1024;

/** `handle` must respond to or close every exchange. If it throws, the connection is closed. */
export async function startLocalServer(
  port: number,
  handle: (exchange: Exchange) => Promise<void>,
): Promise<LocalServer> {
  const closing = new AbortController();
  const server = createServer((request, response) => {
    void serve(request, response, closing.signal, handle).catch(() => response.destroy());
  });
  // Clients may keep a connection open; we end it when we close.
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  await listen(server, port);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  closing: AbortSignal,
  handle: (exchange: Exchange) => Promise<void>,
): Promise<void> {
  const leaving = new AbortController();
  response.once('close', () => leaving.abort());
  const body = await readBody(request);
  await handle({
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: plainHeaders(request),
    body,
    response,
    gone: AbortSignal.any([leaving.signal, closing]),
  });
}

/** Reads to the end even if it is too long: a client that is still sending would not read the response. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MOST_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  return bytes <= MOST_BODY_BYTES ? Buffer.concat(chunks) : undefined;
}

function plainHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

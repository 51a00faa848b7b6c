/** Listens on this machine for a browser redirect, such as the end of a sign-in. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import { errorCode } from '../files.js';

export type CallbackPage = { readonly status: number; readonly html: string };

export type CallbackOptions = {
  /** 0: any free port. */
  readonly port: number;
  readonly path: string;
  /** The page for a request to the path. Must not reject. */
  readonly answer: (query: URLSearchParams) => Promise<CallbackPage>;
};

export interface CallbackListener {
  readonly port: number;
  /** Stops listening after pending pages were sent. Never rejects. */
  close(): Promise<void>;
}

export type Listening = Result<{ readonly listener: CallbackListener }>;

const LOOPBACK = ['127.0.0.1', '::1'] as const;
const MOST_TRIES = 10;
const CLOSE_MS = 2_000;

/**
 * Listens on both addresses of `localhost`: a browser may use either, and on a free one another program could intercept
 * the callback.
 */
export async function listenForCallback(options: CallbackOptions): Promise<Listening> {
  for (let tries = 1; ; tries += 1) {
    const servers: Server[] = [];
    try {
      let { port } = options;
      for (const address of LOOPBACK) {
        const server = createServer(
          { requestTimeout: 10_000 },
          (request, response) => void reply(request, response, port, options),
        );
        servers.push(server);
        port = (await listen(server, port, address)) ?? port;
      }
      return { ok: true, listener: { port, close: () => closeAll(servers) } };
    } catch (error) {
      await closeAll(servers);
      // A free port of one address may be taken on the other.
      if (errorCode(error) === 'EADDRINUSE' && options.port === 0 && tries < MOST_TRIES) continue;
      return { ok: false, reason: explain(error, options.port) };
    }
  }
}

/** Returns the port; undefined if the machine has no such address. */
function listen(server: Server, port: number, address: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const code = errorCode(error);
      if (address === '::1' && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) resolve(undefined);
      else reject(error);
    });
    server.listen({ port, host: address, exclusive: true }, () => resolve((server.address() as AddressInfo).port));
  });
}

function explain(error: unknown, port: number): string {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return `port ${port} is in use by another program`;
    case 'EACCES':
      return `this user may not listen on port ${port}`;
    default:
      return reasonOf(error);
  }
}

async function reply(request: IncomingMessage, response: ServerResponse, port: number, options: CallbackOptions) {
  const page = await pageFor(request, port, options);
  response.on('error', () => {});
  response.writeHead(page.status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  });
  response.end(page.html);
}

async function pageFor(
  request: IncomingMessage,
  port: number,
  { path, answer }: CallbackOptions,
): Promise<CallbackPage> {
  const url = URL.canParse(request.url ?? '', 'http://localhost')
    ? new URL(request.url ?? '', 'http://localhost')
    : undefined;
  // Any other host name means that a foreign page is trying to read ours (DNS rebinding).
  const isForUs = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test((request.headers.host ?? '').replace(`:${port}`, ''));
  if (!isForUs || url?.pathname !== path) return { status: 404, html: 'Not found' };
  if (request.method !== 'GET') return { status: 405, html: 'Method not allowed' };
  return answer(url.searchParams);
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map(closeOne));
}

function closeOne(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
    server.close(() => {
      clearTimeout(force);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/**
 * A small `fetch` on Node's http modules, for requests with a whole body and a streamed response. Loading Node's own
 * `fetch` takes longer than all else before the first request, and each of its requests costs several times as much.
 * It follows no redirects, and has no timeouts but for connecting: the caller decides how long to wait.
 */

import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { PlainFetch, PlainHeaders, PlainRequest, PlainResponse } from './network.js';

/** A kept connection holds on to the last body it sent: after a thousand requests at once, few are worth keeping. */
const MOST_KEPT = 16;

/** `secure`: for `https:` addresses. The connections of one function are shared and kept for the next request. */
export async function openDirectFetch(secure: boolean): Promise<PlainFetch> {
  const { Agent, request } = secure ? await import('node:https') : await import('node:http');
  const kept = new Agent({ keepAlive: true, maxFreeSockets: MOST_KEPT });
  return async (url, asked) => {
    const open = (agent: typeof kept | false) =>
      request(url, { agent, method: asked.method, headers: headersOf(asked) });
    const first = await send(open(kept), asked);
    // The server had closed a kept connection: the request was not read. Sent once more, on a connection of its own.
    return first === 'stale' ? ((await send(open(false), asked)) as PlainResponse) : first;
  };
}

function headersOf({ headers, body }: PlainRequest): Record<string, string> {
  return { ...headers, 'accept-encoding': 'identity', 'content-length': String(body.length) };
}

function send(sent: ClientRequest, { body, signal }: PlainRequest): Promise<PlainResponse | 'stale'> {
  return new Promise((resolve, reject) => {
    let received: IncomingMessage | undefined;
    const abort = () => void (received ?? sent).destroy(new Error('aborted'));
    sent.once('socket', (socket: Socket) => limitConnecting(sent, socket));
    // Errors after the response has begun are those of its body.
    sent.on('error', (error) => (isStale(sent, error) ? resolve('stale') : reject(error)));
    sent.once('response', (response) => {
      received = response;
      resolve(toResponse(response));
    });
    sent.once('close', () => signal.removeEventListener('abort', abort));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    else sent.end(body);
  });
}

function isStale(sent: ClientRequest, { code }: NodeJS.ErrnoException): boolean {
  return sent.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
}

const CONNECT_MS = 10_000;

function limitConnecting(sent: ClientRequest, socket: Socket): void {
  if (!socket.connecting) return;
  const timer = setTimeout(() => {
    sent.destroy(new Error(`no answer from ${sent.host} within ${CONNECT_MS / 1000} seconds`));
  }, CONNECT_MS);
  const stop = () => clearTimeout(timer);
  socket.once('encrypted' in socket ? 'secureConnect' : 'connect', stop);
  socket.once('close', stop);
}

function toResponse(received: IncomingMessage): PlainResponse {
  const status = received.statusCode ?? 0;
  const body = { [Symbol.asyncIterator]: () => readBody(received) };
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: toHeaders(received),
    body,
    text: async () => {
      const pieces: Uint8Array[] = [];
      for await (const piece of body) pieces.push(piece);
      return Buffer.concat(pieces).toString('utf8');
    },
  };
}

function toHeaders({ headers }: IncomingMessage): PlainHeaders {
  const text = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(', ') : value);
  return {
    get: (name) => text(headers[name.toLowerCase()]) ?? null,
    *entries() {
      for (const [name, value] of Object.entries(headers)) yield [name, text(value) ?? ''];
    },
  };
}

/** A reader that has what it wants leaves before the end. The end is taken off, so that the connection can be reused. */
async function* readBody(received: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* received.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } finally {
    await takeEnd(received);
  }
}

/** How long the end of a response that was left may take. */
const END_MS = 500;

function takeEnd(received: IncomingMessage): Promise<void> {
  if (received.readableEnded || received.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => received.destroy(), END_MS);
    timer.unref();
    received.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    received.on('error', () => {});
    received.resume();
  });
}

/**
 * A small `fetch` on Node's http modules, for requests with a whole body and a streamed response. Loading Node's own
 * `fetch` takes longer than everything else before the first request, and each of its requests costs several times as
 * much. It follows no redirects and has only a connect timeout: the caller decides how long to wait.
 */

import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { PlainFetch, PlainHeaders, PlainRequest, PlainResponse } from './network.js';

/** An idle connection retains the last body it sent, so only a few are worth keeping after a burst of requests. */
const MOST_IDLE = 16;

/** `secure`: for `https:` addresses. The connections are reused by later requests of the same function. */
export async function openDirectFetch(secure: boolean): Promise<PlainFetch> {
  const { Agent, request } = secure ? await import('node:https') : await import('node:http');
  const pool = new Agent({ keepAlive: true, maxFreeSockets: MOST_IDLE });
  return async (url, asked) => {
    const open = (agent: typeof pool | false) =>
      request(url, { agent, method: asked.method, headers: headersOf(asked) });
    const first = await send(open(pool), asked);
    // The server had closed the reused connection without reading the request: send it again on a new one.
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
    // Errors after the response has started belong to its body.
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

/** A reader may stop before the end. The rest is drained, so that the connection can be reused. */
async function* readBody(received: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* received.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } finally {
    await drain(received);
  }
}

/** How long draining the rest of a response may take. */
const DRAIN_MS = 500;

function drain(received: IncomingMessage): Promise<void> {
  if (received.readableEnded || received.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => received.destroy(), DRAIN_MS);
    timer.unref();
    received.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    received.on('error', () => {});
    received.resume();
  });
}

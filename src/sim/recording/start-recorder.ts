/** Stands between a client and a real API, passes everything on, and keeps the traffic. */

import { keyOf } from '../checks/check-access.js';
import { errorBody } from '../checks/problem.js';
import { type Exchange, type LocalServer, startLocalServer } from '../server/local-server.js';
import { keptRequestHeaders, keptResponseHeaders, readBody, recordingLine } from './recording.js';

export type RecorderOptions = {
  /** The API to pass requests on to, e.g. https://api.anthropic.com */
  readonly upstream: string;
  /** Takes one line of the recording, line end included, when its exchange is complete. */
  readonly write: (line: string) => void | Promise<void>;
  readonly port?: number;
  /** How to reach the upstream; for proxies and the like. */
  readonly fetch?: typeof fetch;
};

/** Headers that belong to one connection, or that `fetch` sets itself. */
const NOT_PASSED_ON = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'content-encoding',
  'accept-encoding',
  'keep-alive',
  'expect',
]);

export function startRecorder(options: RecorderOptions): Promise<LocalServer> {
  return startLocalServer(options.port ?? 0, (exchange) => passOn(exchange, options));
}

async function passOn(exchange: Exchange, options: RecorderOptions): Promise<void> {
  const upstream = await ask(exchange, options);
  if (upstream instanceof Error) return respondUnreachable(exchange, options.upstream, upstream);
  const headers = Object.fromEntries(upstream.headers);
  exchange.response.writeHead(upstream.status, passedOn(headers));
  exchange.response.flushHeaders();
  const parts: Buffer[] = [];
  try {
    for await (const part of upstream.body ?? []) {
      parts.push(Buffer.from(part));
      exchange.response.write(part);
    }
  } catch {
    // The upstream broke off, or the client left: what there is would mislead, so it is not kept.
    exchange.response.destroy();
    return;
  }
  // First on record, then done: a client that stops when it has its answer loses nothing.
  await options.write(`${toLine(exchange, upstream.status, headers, Buffer.concat(parts))}\n`);
  exchange.response.end();
}

async function ask(exchange: Exchange, options: RecorderOptions): Promise<Response | Error> {
  try {
    return await (options.fetch ?? fetch)(new URL(exchange.path, options.upstream), {
      method: exchange.method,
      headers: passedOn(exchange.headers),
      body: exchange.method === 'GET' || exchange.method === 'HEAD' ? undefined : exchange.body,
      signal: exchange.gone,
    });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function passedOn(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.has(name.toLowerCase())));
}

function respondUnreachable(exchange: Exchange, upstream: string, error: Error): void {
  const cause = error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
  const problem = { type: 'api_error', message: `The recorder could not reach ${upstream} (${cause}).` } as const;
  exchange.response.writeHead(502, { 'content-type': 'application/json' });
  exchange.response.end(JSON.stringify(errorBody(problem, 'req_recorder')));
}

function toLine(exchange: Exchange, status: number, headers: Record<string, string>, body: Buffer): string {
  const { method, path } = exchange;
  return recordingLine(
    {
      request: { method, path, headers: keptRequestHeaders(exchange.headers), body: readBody(exchange.body) },
      response: { status, headers: keptResponseHeaders(headers), body: body.toString('utf8') },
    },
    [keyOf(exchange.headers) ?? ''],
  );
}

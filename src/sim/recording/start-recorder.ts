/** A proxy between a client and a real API that forwards everything and records it. */

import { keyOf } from '../checks/check-access.js';
import { errorBody } from '../checks/problem.js';
import { type Exchange, type LocalServer, startLocalServer } from '../server/local-server.js';
import { keptRequestHeaders, keptResponseHeaders, readBody, recordingLine } from './recording.js';

export type RecorderOptions = {
  /** The API to forward requests to, e.g. https://api.anthropic.com */
  readonly upstream: string;
  /** Called with one line of the recording, including its newline, when an exchange is complete. */
  readonly write: (line: string) => void | Promise<void>;
  readonly port?: number;
  /** The `fetch` for the upstream, for example through a proxy. */
  readonly fetch?: typeof fetch;
};

/** Headers that are specific to one connection, or that `fetch` sets itself. */
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
    // The upstream or the client disconnected: an incomplete exchange would mislead, so it is not recorded.
    exchange.response.destroy();
    return;
  }
  // Write before ending the response, so that a client that stops after its response loses nothing.
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
  const problem = { type: 'api_error', message: `The recorder could not connect to ${upstream} (${cause}).` } as const;
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

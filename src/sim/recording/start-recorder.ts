/** A proxy between a client and a real API that forwards everything and records it. */

import { reasonOf } from '../../protocol/reason-of.js';
import { errorBody } from '../checks/problem.js';
import { type Exchange, type LocalServer, startLocalServer } from '../server/local-server.js';
import type { KnownValues } from './find-varying.js';
import { isWholeStream } from './record-fetch.js';
import { type GivenAnswer, TrafficRecorder } from './traffic-recorder.js';

export type RecorderOptions = {
  /** The API to forward requests to, e.g. https://api.anthropic.com */
  readonly upstream: string;
  /** Called with one line of the recording, including its newline: first the header, then more when an exchange ends. */
  readonly write: (line: string) => void | Promise<void>;
  readonly port?: number;
  /** The `fetch` for the upstream, for example through a proxy. */
  readonly fetch?: typeof fetch;
  /** Values to replace with placeholders. The client's folder is detected. */
  readonly known?: KnownValues;
  /** Secrets to leave out of the recording, besides keys of requests and everything that looks like a key. */
  readonly secrets?: readonly string[];
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

export async function startRecorder(options: RecorderOptions): Promise<LocalServer> {
  const recorder = new TrafficRecorder(options);
  const server = await startLocalServer(options.port ?? 0, (exchange) => passOn(exchange, options, recorder));
  const close = async () => {
    await server.close();
    await recorder.close();
  };
  return { url: server.url, close };
}

async function passOn(exchange: Exchange, options: RecorderOptions, recorder: TrafficRecorder): Promise<void> {
  const { method, path, headers: sent, body } = exchange;
  const end = recorder.begin({ method, path, headers: sent, body });
  const upstream = await ask(exchange, options);
  if (upstream instanceof Error) {
    // Only the failure itself is worth replaying.
    await end({ status: 0, headers: {}, body: '', ...howItEnded(exchange, upstream) });
    return respondUnreachable(exchange, options.upstream, upstream);
  }
  const headers = Object.fromEntries(upstream.headers);
  exchange.response.writeHead(upstream.status, passedOn(headers));
  exchange.response.flushHeaders();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const part of upstream.body ?? []) {
      text += decoder.decode(part, { stream: true });
      // Written before the client gets the end, so that nothing is lost if it stops after its response.
      if (isWholeStream(text)) await end({ status: upstream.status, headers, body: text });
      exchange.response.write(part);
    }
  } catch (error) {
    await end({ status: upstream.status, headers, body: text, ...howItEnded(exchange, error) });
    exchange.response.destroy();
    return;
  }
  await end({ status: upstream.status, headers, body: text });
  exchange.response.end();
}

function howItEnded({ gone }: Exchange, error: unknown): Pick<GivenAnswer, 'cut' | 'broken'> {
  return gone.aborted ? { cut: true } : { broken: reasonOf(error) };
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

/** A `fetch` that answers from a recording, in the recorded order, without a connection. */

import { errorBody } from '../checks/problem.js';
import type { RecordedOrder } from './recorded-order.js';
import type { RecordedExchange } from './recording.js';
import { readBody } from './recording.js';
import { apiPath, type FindSender, respondWith, type Sender, type TrafficFetch } from './traffic-fetch.js';
import type { TrafficReplay } from './traffic-replay.js';

export type ReplayFetchOptions = {
  readonly replay: TrafficReplay;
  readonly order: RecordedOrder;
  readonly findSender: FindSender;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Called when a request is made, and when its response has ended. */
  readonly onStart: (sender: Sender | undefined) => void;
  readonly onEnd: (sender: Sender | undefined) => void;
};

export function replayFetch(options: ReplayFetchOptions): TrafficFetch {
  const { replay, order, findSender } = options;
  return async (url, { method, headers, body, signal }) => {
    const agent = findSender(headers);
    options.onStart(agent);
    const taken = replay.take({ method, path: apiPath(url), body: readBody(body), agent });
    if (taken.kind === 'differs') {
      order.end();
      return respond(500, { 'x-should-retry': 'false' }, problem(taken.difference));
    }
    const { exchange } = taken;
    order.happened(exchange.started);
    const ended = () => {
      order.happened(exchange.ended);
      options.onEnd(agent);
    };
    const { status } = exchange.response;
    if (isStream(exchange)) {
      const play = () => playStream(options, exchange, taken.body, signal, ended);
      return respondWith(status, exchange.response.headers, { [Symbol.asyncIterator]: play });
    }
    try {
      if (exchange.cut) await untilGone(options, exchange, signal);
      else await order.before(exchange.ended, signal);
    } finally {
      ended();
    }
    if (signal.aborted) throw new Error('aborted');
    if (exchange.cut) return respond(400, { 'x-should-retry': 'false' }, problem(CUT));
    if (status === 0) throw new Error(exchange.broken ?? 'no answer came when this was recorded');
    return respond(status, playedHeaders(exchange), taken.body);
  };
}

async function* playStream(
  options: ReplayFetchOptions,
  exchange: RecordedExchange,
  body: string,
  signal: AbortSignal,
  ended: () => void,
): AsyncGenerator<Uint8Array> {
  // The beginning is sent at once, because others wait for it.
  const begun = body.indexOf('\n\n') + 2;
  let isEnded = false;
  const end = () => {
    if (!isEnded) ended();
    isEnded = true;
  };
  try {
    yield Buffer.from(body.slice(0, begun));
    if (!exchange.cut) await options.order.before(exchange.ended, signal);
    if (signal.aborted) throw new Error('aborted');
    if (!exchange.cut) end();
    yield Buffer.from(body.slice(begun));
    if (exchange.broken !== undefined) throw new Error(exchange.broken);
    if (!exchange.cut) return;
    await untilGone(options, exchange, signal);
    if (signal.aborted) throw new Error('aborted');
    yield Buffer.from(`event: error\ndata: ${problem(CUT)}\n\n`);
  } finally {
    end();
  }
}

const CUT =
  'the recording ends here: this request was interrupted when it was recorded, and nobody has interrupted it now';
const GONE_MS = 5_000;

/** Waits for the client to disconnect, as it did in the recording. */
async function untilGone({ order, sleep }: ReplayFetchOptions, { ended }: RecordedExchange, signal: AbortSignal) {
  await order.before(ended, signal);
  await sleep(GONE_MS, signal);
}

function isStream({ response: { status, headers } }: RecordedExchange): boolean {
  return status === 200 && /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}

/** Recorded retry delays need not be waited for again. */
export function playedHeaders({ response: { status, headers } }: RecordedExchange): Record<string, string> {
  return status === 429 || status >= 500 ? { ...headers, 'retry-after': '0' } : { ...headers };
}

export function problem(message: string): string {
  return JSON.stringify(errorBody({ type: 'invalid_request_error', message }, 'req_replay'));
}

function respond(status: number, headers: Readonly<Record<string, string>>, body: string) {
  const sent = { 'content-type': 'application/json', ...headers };
  const pieces = async function* () {
    yield Buffer.from(body);
  };
  return respondWith(status, sent, { [Symbol.asyncIterator]: pieces });
}

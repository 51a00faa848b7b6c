/** Replays a recording. Each request must match a recorded one; the first that does not ends the replay. */

import { errorBody } from '../checks/problem.js';
import { isObject } from '../json-value.js';
import { type Chunking, chunkedWriter } from '../server/chunked-writer.js';
import { type Exchange, startLocalServer } from '../server/local-server.js';
import { describeDifference, firstDifference } from './difference.js';
import { type RecordedExchange, readBody } from './recording.js';

export type ReplayOptions = {
  readonly exchanges: readonly RecordedExchange[];
  readonly port?: number;
  /** Body fields that may differ. Default: `metadata`, which identifies the session. */
  readonly ignore?: readonly string[];
  readonly chunk?: Chunking;
};

export interface Replay {
  readonly url: string;
  /** How many exchanges have been replayed. */
  played(): number;
  /** Describes the first request that differed from the recording. */
  difference(): string | undefined;
  close(): Promise<void>;
}

export async function startReplay(options: ReplayOptions): Promise<Replay> {
  const left = [...options.exchanges];
  const ignore = options.ignore ?? ['metadata'];
  let difference: string | undefined;

  const server = await startLocalServer(options.port ?? 0, async (exchange) => {
    const body = readBody(exchange.body);
    // Parallel agents may send requests in another order: any remaining exchange may match.
    const index = difference ? -1 : left.findIndex((recorded) => !differenceOf(recorded, exchange, body, ignore));
    const recorded = left[index];
    if (recorded) {
      left.splice(index, 1);
      return play(exchange, recorded, options.chunk);
    }
    difference ??= describeMiss(left, exchange, body, ignore, options.exchanges.length);
    respondDifference(exchange, difference);
  });
  return {
    url: server.url,
    played: () => options.exchanges.length - left.length,
    difference: () => difference,
    close: () => server.close(),
  };
}

function differenceOf(recorded: RecordedExchange, exchange: Exchange, body: unknown, ignore: readonly string[]) {
  const { method, path } = recorded.request;
  return firstDifference(
    { method, path, body: without(recorded.request.body, ignore) },
    { method: exchange.method, path: exchange.path, body: without(body, ignore) },
  );
}

function without(body: unknown, names: readonly string[]): unknown {
  if (!isObject(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

/** Compares with the exchange that was expected next. */
function describeMiss(
  left: readonly RecordedExchange[],
  exchange: Exchange,
  body: unknown,
  ignore: readonly string[],
  total: number,
): string {
  const number = total - left.length + 1;
  const [next] = left;
  if (!next)
    return `Request ${number} (${exchange.method} ${exchange.path}) is not in the recording, which has only ${total}.`;
  const found = differenceOf(next, exchange, body, ignore);
  return `Request ${number} of ${total} differs from the recording ${found ? describeDifference(found) : ''}`;
}

async function play(exchange: Exchange, { response }: RecordedExchange, chunk: Chunking | undefined): Promise<void> {
  exchange.response.writeHead(response.status, response.headers);
  const writer = chunkedWriter(exchange.response, chunk);
  await writer.write(Buffer.from(response.body));
  await writer.flush();
  exchange.response.end();
}

function respondDifference(exchange: Exchange, message: string): void {
  exchange.response.writeHead(500, { 'content-type': 'application/json', 'x-should-retry': 'false' });
  exchange.response.end(JSON.stringify(errorBody({ type: 'api_error', message }, 'req_replay')));
}

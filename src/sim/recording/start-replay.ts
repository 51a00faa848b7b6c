/**
 * Replays a recording to any client, as a server. Each request must match a recorded one; the first that does not ends
 * the replay. Nothing is delayed: only a session that replays in its own process knows what it waits for.
 */

import { type Chunking, chunkedWriter } from '../server/chunked-writer.js';
import { type Exchange, startLocalServer } from '../server/local-server.js';
import type { KnownValues } from './find-varying.js';
import { type RecordedExchange, readBody } from './recording.js';
import { playedHeaders, problem } from './replay-fetch.js';
import { type ReplayStatus, TrafficReplay } from './traffic-replay.js';

export type ReplayOptions = {
  readonly exchanges: readonly RecordedExchange[];
  readonly port?: number;
  /** Current values of placeholders. The client's folder is detected. */
  readonly known?: KnownValues;
  /** Body fields that may differ. Default: `metadata`, which identifies the session. */
  readonly ignore?: readonly string[];
  readonly chunk?: Chunking;
};

export interface Replay {
  readonly url: string;
  /** What was replayed, the first difference, what is missing. */
  readonly status: ReplayStatus;
  /** How many exchanges have been replayed. */
  played(): number;
  /** Describes the first request that differed from the recording. */
  difference(): string | undefined;
  close(): Promise<void>;
}

const ADVICE = 'If the change is meant, record again.';

export async function startReplay(options: ReplayOptions): Promise<Replay> {
  const replay = new TrafficReplay({ advice: ADVICE, ...options });
  const server = await startLocalServer(options.port ?? 0, async (exchange) => {
    const { method, path } = exchange;
    const taken = replay.take({ method, path, body: readBody(exchange.body) });
    if (taken.kind === 'found') return play(exchange, taken.exchange, taken.body, options.chunk);
    exchange.response.writeHead(500, { 'content-type': 'application/json', 'x-should-retry': 'false' });
    exchange.response.end(problem(taken.difference));
  });
  return {
    url: server.url,
    get status() {
      return replay.status;
    },
    played: () => replay.status.played,
    difference: () => replay.status.difference,
    close: () => server.close(),
  };
}

async function play(
  { response, gone }: Exchange,
  recorded: RecordedExchange,
  body: string,
  chunk: Chunking | undefined,
): Promise<void> {
  const { status } = recorded.response;
  if (status !== 0) {
    response.writeHead(status, playedHeaders(recorded));
    const writer = chunkedWriter(response, chunk);
    await writer.write(Buffer.from(body));
    await writer.flush();
  }
  if (recorded.broken !== undefined) return void response.destroy();
  if (recorded.cut && !gone.aborted) await new Promise((resolve) => gone.addEventListener('abort', resolve));
  response.end();
}

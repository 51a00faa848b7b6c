/** Sends a reply, streamed or as one body, with its delays and faults. */

import { streamSteps } from '../scenario/faults.js';
import { type ModelReply, toResponse } from '../scenario/make-reply.js';
import type { Delay, Fault } from '../scenario/scenario.js';
import { type Answering, respond, respondProblem } from './answering.js';
import { chunkedWriter } from './chunked-writer.js';
import type { Exchange } from './local-server.js';
import type { OpenRequest } from './sim-request.js';
import { streamEvents } from './stream-events.js';

export type Sending = {
  readonly stream: boolean;
  readonly fault: Fault | undefined;
  readonly delay: Delay;
  /** Called when the response begins. */
  readonly begin: () => void;
};

export async function sendReply(
  exchange: Exchange,
  request: OpenRequest,
  answering: Answering,
  reply: ModelReply,
  sending: Sending,
): Promise<void> {
  if (sending.delay.firstMs) await answering.clock.sleep(sending.delay.firstMs, exchange.gone);
  if (exchange.gone.aborted) return;
  const { fault } = sending;
  if (fault?.kind === 'disconnect' && (fault.at ?? 'headers') === 'headers') return cut(exchange, request);
  return sending.stream
    ? sendStream(exchange, request, answering, reply, sending)
    : sendWhole(exchange, request, reply, sending);
}

async function sendStream(
  exchange: Exchange,
  request: OpenRequest,
  answering: Answering,
  reply: ModelReply,
  sending: Sending,
): Promise<void> {
  const { response, gone } = exchange;
  request.status = 200;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  const writer = chunkedWriter(response, answering.chunk);
  for (const [index, step] of streamSteps(streamEvents(reply), sending.fault).entries()) {
    if (index > 0 && sending.delay.eventMs) {
      await writer.flush();
      await answering.clock.sleep(sending.delay.eventMs, gone);
    }
    if (gone.aborted) return;
    if (index === 0 && step.kind === 'send') sending.begin();
    switch (step.kind) {
      case 'send':
        await writer.write(step.bytes);
        break;
      case 'cut':
        await writer.flush();
        return cutAfterSent(exchange, request);
      case 'hang':
        await writer.flush();
        return untilGone(gone);
      default:
        step satisfies never;
    }
  }
  await writer.flush();
  request.ended = 'answered';
  response.end();
}

/** Without streaming, the same faults apply to the single body. */
async function sendWhole(
  exchange: Exchange,
  request: OpenRequest,
  reply: ModelReply,
  { fault, begin }: Sending,
): Promise<void> {
  const body = JSON.stringify(toResponse(reply));
  switch (fault?.kind) {
    case 'error_event': {
      const type = fault.type ?? 'overloaded_error';
      const status = type === 'overloaded_error' ? 529 : 500;
      return respondProblem(exchange, request, { status, type, message: fault.message ?? 'Overloaded' });
    }
    case 'silence':
      request.status = 200;
      exchange.response.writeHead(200, { 'content-type': 'application/json' });
      exchange.response.flushHeaders();
      return untilGone(exchange.gone);
    case 'disconnect':
      request.status = 200;
      exchange.response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      exchange.response.write(body.slice(0, body.length / 2));
      return cutAfterSent(exchange, request);
    case 'malformed':
      return respond(exchange, request, 200, body.slice(0, body.length / 2));
    default:
      begin();
      return respond(exchange, request, 200, body);
  }
}

function cut(exchange: Exchange, request: OpenRequest): void {
  request.ended = 'cut';
  exchange.response.destroy();
}

/** Waits until the written data reaches the client, then closes the connection. */
async function cutAfterSent(exchange: Exchange, request: OpenRequest): Promise<void> {
  const { socket } = exchange.response;
  if (socket && !socket.destroyed) await new Promise<void>((resolve) => socket.write('', () => resolve()));
  cut(exchange, request);
}

function untilGone(gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (gone.aborted) resolve();
    else gone.addEventListener('abort', () => resolve(), { once: true });
  });
}

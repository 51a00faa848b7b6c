/** Implements faults: some replace the response, some change the reply, some break the stream. */

import type { WireEvent } from '../../model/anthropic/wire.js';
import { invalid, type Problem, promptTooLong, tooLarge } from '../checks/problem.js';
import type { ModelReply } from './make-reply.js';
import type { Fault, OutputBlock } from './scenario.js';

export type FaultResponse = {
  readonly problem: Problem;
  readonly retryAfter?: number;
  readonly html?: boolean;
};

/** The response that replaces the reply, for faults of that kind. */
export function faultResponse(fault: Fault, model: string, contextTokens: number): FaultResponse | undefined {
  switch (fault.kind) {
    case 'rate_limit':
      return {
        problem: {
          status: 429,
          type: 'rate_limit_error',
          message: "This request would exceed your account's rate limit. Please try again later.",
        },
        retryAfter: fault.retryAfter,
      };
    case 'overloaded':
      return {
        problem: { status: 529, type: 'overloaded_error', message: 'Overloaded' },
        retryAfter: fault.retryAfter,
      };
    case 'server_error':
      return { ...serverError(fault.status ?? 500), html: fault.body === 'html', retryAfter: fault.retryAfter };
    case 'overflow':
      return { problem: promptTooLong(contextTokens + 1, contextTokens) };
    case 'too_large':
      return { problem: tooLarge() };
    case 'unauthorized':
      return { problem: { status: 401, type: 'authentication_error', message: 'invalid x-api-key' } };
    case 'no_model':
      return { problem: { status: 404, type: 'not_found_error', message: `model: ${model}` } };
    case 'bad_block':
      return { problem: invalid(`${fault.path}: ${fault.message ?? 'Could not process image'}`) };
    case 'disconnect':
    case 'malformed':
    case 'silence':
    case 'error_event':
    case 'max_tokens':
    case 'refusal':
    case 'pause_turn':
      return undefined;
    default:
      return fault satisfies never;
  }
}

function serverError(status: number): { problem: Problem } {
  const type = status === 504 ? 'timeout_error' : 'api_error';
  const message = status === 504 ? 'The request timed out' : 'Internal server error';
  return { problem: { status, type, message } };
}

/** Applies a fault to a reply. */
export function faultyReply(reply: ModelReply, fault: Fault | undefined): ModelReply {
  switch (fault?.kind) {
    case 'max_tokens':
      return { ...reply, stop: 'max_tokens', blocks: cutLast(reply.blocks) };
    case 'refusal':
    case 'pause_turn':
      return { ...reply, stop: fault.kind };
    default:
      return reply;
  }
}

function cutLast(blocks: readonly OutputBlock[]): readonly OutputBlock[] {
  const last = blocks.at(-1);
  if (!last) return blocks;
  if (last.block.type === 'tool_use') {
    const json = last.json ?? '{}';
    const cut = { block: { ...last.block, input: {} }, json: json.slice(0, Math.max(1, Math.floor(json.length / 2))) };
    return [...blocks.slice(0, -1), cut];
  }
  if (last.block.type !== 'text') return blocks;
  const text = last.block.text.slice(0, Math.ceil(last.block.text.length / 2));
  return [...blocks.slice(0, -1), { block: { ...last.block, text } }];
}

export type StreamStep =
  | { readonly kind: 'send'; readonly bytes: Buffer }
  /** Close the connection. */
  | { readonly kind: 'cut' }
  /** Send nothing more until the client disconnects. */
  | { readonly kind: 'hang' };

/** The steps of the stream, with the fault applied. */
export function streamSteps(events: readonly WireEvent[], fault: Fault | undefined): readonly StreamStep[] {
  const sent = events.map((event) => send(toSse(event)));
  switch (fault?.kind) {
    case 'disconnect': {
      const at = fault.at === 'headers' || fault.at === undefined ? 0 : fault.at;
      return [...sent.slice(0, at), ...(fault.inside ? halfOf(sent[at]) : []), { kind: 'cut' }];
    }
    case 'silence':
      return [...sent.slice(0, fault.at ?? 0), { kind: 'hang' }];
    case 'malformed': {
      const at = fault.at ?? 1;
      const wrong =
        fault.how === 'json'
          ? 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"del\n\n'
          : '\x00\x7f<<not an event>>\nevnt; data={]\n\n';
      return [...sent.slice(0, at), send(Buffer.from(wrong)), ...sent.slice(at)];
    }
    case 'error_event': {
      const error: WireEvent = {
        type: 'error',
        error: { type: fault.type ?? 'overloaded_error', message: fault.message ?? 'Overloaded' },
      };
      return [...sent.slice(0, fault.at ?? 1), send(toSse(error))];
    }
    default:
      return sent;
  }
}

function toSse(event: WireEvent): Buffer {
  return Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function send(bytes: Buffer): StreamStep {
  return { kind: 'send', bytes };
}

function halfOf(step: StreamStep | undefined): readonly StreamStep[] {
  return step?.kind === 'send' ? [send(step.bytes.subarray(0, Math.floor(step.bytes.length / 2)))] : [];
}

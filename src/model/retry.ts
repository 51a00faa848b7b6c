/** Sends a request again when its fault is a passing one, at the pace the key's limiter allows. */

import type { Clock } from '../host/clock.js';
import type { ModelRequest } from './anthropic/body.js';
import { isPassing, type ModelFault } from './fault.js';
import type { Limiter, Pass } from './limiter.js';
import type { ModelClient, ModelEvent } from './model-client.js';

export type RetryOptions = {
  readonly clock: Clock;
  readonly limiter: Limiter;
  readonly random: () => number;
  /** How often a request is sent again before its fault counts. */
  readonly maxRetries: number;
};

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 32_000;
/** A server that asks for more patience than this is told to the person instead of waited for. */
const LONGEST_RETRY_AFTER_MS = 10 * 60_000;

export function withRetry(client: ModelClient, options: RetryOptions): ModelClient {
  async function* request(parts: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    for (let attempt = 1; ; attempt += 1) {
      const pass = await options.limiter.admit(signal);
      const fault = yield* attemptOnce(parts, signal, pass);
      if (fault === undefined) return;
      const delayMs = delayAfter(fault, attempt, options.random);
      const tooLong = delayMs > LONGEST_RETRY_AFTER_MS;
      // What is told instead of waited for must not be waited for in silence by the next request.
      pass.failed(fault, tooLong ? 0 : delayMs);
      if (!isPassing(fault) || attempt > options.maxRetries || tooLong) {
        yield { type: 'fault', fault };
        return;
      }
      yield { type: 'retry-scheduled', fault, attempt, delayMs };
      await options.clock.sleep(delayMs, signal);
    }
  }

  /** Passes the stream on and keeps back its fault, if there is one. */
  async function* attemptOnce(
    parts: ModelRequest,
    signal: AbortSignal,
    pass: Pass,
  ): AsyncGenerator<ModelEvent, ModelFault | undefined> {
    try {
      if (signal.aborted) return { kind: 'aborted', message: 'interrupted' };
      for await (const event of client.request(parts, signal)) {
        if (event.type === 'fault') return event.fault;
        if (event.type === 'response-began') pass.began();
        yield event;
      }
      return undefined;
    } finally {
      if (signal.aborted) pass.release();
    }
  }

  return { request };
}

function delayAfter(fault: ModelFault, attempt: number, random: () => number): number {
  if ('retryAfterMs' in fault && fault.retryAfterMs !== undefined) return fault.retryAfterMs;
  const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
  return Math.round(delay * (0.75 + random() * 0.5));
}

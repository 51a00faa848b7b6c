/** Retries a request after a transient fault, at the pace of the key's limiter. */

import type { Clock } from '../host/clock.js';
import { concernsKey, isPassing, type ModelFault, NEVER_SENT } from './fault.js';
import type { ModelClient, ModelEvent } from './model-client.js';
import type { ModelRequest } from './request.js';

export type RetryOptions = {
  readonly clock: Clock;
  readonly limiter: Limiter;
  readonly random: () => number;
  /** How many retries before the fault is final. */
  readonly maxRetries: number;
};

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 32_000;
/** A longer retry-after is reported to the user instead of waited for. */
const LONGEST_RETRY_AFTER_MS = 10 * 60_000;

/** How often an address that never answered is tried again: a wrong one does not get better. */
const RETRIES_UNREACHED = 1;

export function withRetry(client: ModelClient, options: RetryOptions): ModelClient {
  let hasAnswered = false;

  /** How often a request is sent again after this fault. */
  function retriesAfter(fault: ModelFault): number {
    if (!isPassing(fault)) return 0;
    const own = 'retries' in fault ? fault.retries : undefined;
    return own ?? (fault.kind === 'unreachable' && !hasAnswered ? RETRIES_UNREACHED : options.maxRetries);
  }

  async function* send(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    for (let attempt = 1; ; attempt += 1) {
      const pass = await options.limiter.admit(signal);
      let delayMs: number;
      try {
        const ended = yield* attemptOnce(client, request, signal, () => {
          hasAnswered = true;
          pass.began();
        });
        if (ended.fault === undefined) return;
        const { fault } = ended;
        hasAnswered ||= isAnswer(fault);
        delayMs = delayAfter(fault, attempt, options.random);
        const tooLong = delayMs > LONGEST_RETRY_AFTER_MS;
        // If the delay is reported instead of waited for, the next request must not wait for it silently.
        pass.failed(fault, tooLong ? 0 : delayMs);
        if (ended.hasRetried || attempt > retriesAfter(fault) || tooLong) {
          const tries = ended.hasRetried ? attempt + 1 : attempt;
          yield { type: 'fault', fault: tooLong ? tellWait(fault, delayMs) : tellTries(fault, tries) };
          return;
        }
        yield { type: 'retry-scheduled', fault, attempt, delayMs, most: retriesAfter(fault) };
      } finally {
        // Also when the reader leaves in mid-stream: other requests must not wait for this pass.
        pass.release();
      }
      await options.clock.sleep(delayMs, signal);
    }
  }

  return { request: send };
}

type Attempt = {
  readonly fault: ModelFault | undefined;
  /** The client retries by itself, so its fault is final and is not retried here. */
  readonly hasRetried: boolean;
};

/** Forwards the stream, except its fault, which is returned. */
async function* attemptOnce(
  client: ModelClient,
  request: ModelRequest,
  signal: AbortSignal,
  began: () => void,
): AsyncGenerator<ModelEvent, Attempt> {
  if (signal.aborted) return { fault: NEVER_SENT, hasRetried: false };
  let hasRetried = false;
  for await (const event of client.request(request, signal)) {
    if (event.type === 'fault') return { fault: event.fault, hasRetried };
    if (event.type === 'response-began') began();
    if (event.type === 'retry-scheduled') hasRetried = true;
    yield event;
  }
  return { fault: undefined, hasRetried };
}

/** Somebody was there: the address is right. */
function isAnswer({ kind }: ModelFault): boolean {
  return kind !== 'unreachable' && kind !== 'misdirected' && kind !== 'no-connection' && kind !== 'aborted';
}

function tellTries(fault: ModelFault, tries: number): ModelFault {
  if (!isPassing(fault) || tries === 1) return fault;
  return { ...fault, message: `${fault.message}; gave up after ${tries} tries` };
}

function tellWait(fault: ModelFault, ms: number): ModelFault {
  const minutes = Math.ceil(ms / 60_000);
  const time = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
  return { ...fault, message: `${fault.message}: it asks to wait ${time}, which is not waited for` };
}

function delayAfter(fault: ModelFault, attempt: number, random: () => number): number {
  if ('retryAfterMs' in fault && fault.retryAfterMs !== undefined) return fault.retryAfterMs;
  const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
  return Math.round(delay * (0.75 + random() * 0.5));
}

export interface Limiter {
  /** Resolves when a request may be sent. After a pause, one request at a time probes whether the key works again. */
  admit(signal: AbortSignal): Promise<Pass>;
}

interface Pass {
  /** The response has begun: the key works again. */
  began(): void;
  /** The request failed. `delayMs` is how long the key pauses, if the fault concerns the key. */
  failed(fault: ModelFault, delayMs: number): void;
  /** Returns the pass without a result (after an abort). Safe to call after the other methods. */
  release(): void;
}

export function createLimiter(clock: Clock): Limiter {
  let restsUntil = 0;
  let closed = false;
  let trying = false;
  const waiting = new Set<() => void>();

  const wakeAll = () => {
    const wake = [...waiting];
    waiting.clear();
    for (const resolve of wake) resolve();
  };

  const change = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const done = () => {
        waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });

  async function admit(signal: AbortSignal): Promise<Pass> {
    while (closed && !signal.aborted) {
      const rest = restsUntil - clock.elapsed();
      if (rest > 0) await clock.sleep(rest, signal);
      else if (trying) await change(signal);
      else break;
    }
    const first = closed && !signal.aborted;
    if (first) trying = true;
    return pass(first);
  }

  function pass(first: boolean): Pass {
    let settled = false;
    const settle = (then: () => void) => {
      if (settled) return;
      settled = true;
      if (first) trying = false;
      then();
      if (first) wakeAll();
    };
    return {
      began: () =>
        settle(() => {
          if (first) closed = false;
        }),
      failed: (fault, delayMs) => {
        // Also after the response has begun: an overload can occur in mid-stream.
        if (concernsKey(fault)) {
          closed = true;
          restsUntil = Math.max(restsUntil, clock.elapsed() + delayMs);
        }
        settle(() => {});
      },
      release: () => settle(() => {}),
    };
  }

  return { admit };
}

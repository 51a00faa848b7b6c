/**
 * Wraps a client: enforces its contract, limits the bytes in flight, shares one limiter per key, and retries. The retry
 * is outermost, so that a request that waits for a retry holds no bytes.
 */

import type { Clock } from '../host/clock.js';
import { reasonOf } from '../protocol/reason-of.js';
import { type ModelFault, NEVER_SENT } from './fault.js';
import type { ModelClient, ModelEvent } from './model-client.js';
import type { ModelRequest } from './request.js';
import { createLimiter, withRetry } from './retry.js';

export type ComposeOptions = {
  readonly clock: Clock;
  /** Between 0 and 1, for retry jitter. */
  readonly random: () => number;
  /** See `ModelProvider`. */
  readonly contentLength: (request: ModelRequest) => number;
  readonly maxRetries?: number;
  /** How many bytes of requests may be in flight at once. */
  readonly maxBytes?: number;
};

const DEFAULT_MAX_RETRIES = 8;

/**
 * The client itself should not retry. One that does (it yields `retry-scheduled`) is not retried again.
 * Call this once per key: all requests through the result pause together when the key is rate-limited.
 */
export function composeClient(client: ModelClient, options: ComposeOptions): ModelClient {
  const { clock, random, maxRetries = DEFAULT_MAX_RETRIES } = options;
  const bounded = withBodyBudget(guardClient(client, clock), options);
  return withRetry(bounded, { clock, random, maxRetries, limiter: createLimiter(clock) });
}

/** Enough for several hundred long conversations. It takes a little over twice as much memory. */
const MAX_BYTES = 192 * 1024 * 1024;

export type BodyBudgetOptions = {
  /** The length of a request: see `ModelProvider`. */
  readonly contentLength: (request: ModelRequest) => number;
  readonly maxBytes?: number;
};

export function withBodyBudget(client: ModelClient, options: BodyBudgetOptions): ModelClient {
  const { contentLength, maxBytes = MAX_BYTES } = options;
  let held = 0;
  const waiting: { readonly bytes: number; readonly go: () => void }[] = [];
  // A request larger than the limit is sent when nothing else is in flight.
  const fits = (bytes: number) => held === 0 || held + bytes <= maxBytes;

  function release(bytes: number): void {
    held -= bytes;
    for (let next = waiting[0]; next !== undefined && fits(next.bytes); next = waiting[0]) {
      waiting.shift();
      held += next.bytes;
      next.go();
    }
  }

  /** Returns false if the signal aborted first. */
  async function enter(bytes: number, signal: AbortSignal): Promise<boolean> {
    if (waiting.length === 0 && fits(bytes)) {
      held += bytes;
      return true;
    }
    return new Promise((resolve) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(waiter), 1);
        resolve(false);
      };
      const waiter = {
        bytes,
        go: () => {
          signal.removeEventListener('abort', leave);
          resolve(true);
        },
      };
      if (signal.aborted) return resolve(false);
      signal.addEventListener('abort', leave, { once: true });
      waiting.push(waiter);
    });
  }

  return {
    async *request(request, signal) {
      const bytes = contentLength(request);
      if (!(await enter(bytes, signal))) {
        yield { type: 'fault', fault: NEVER_SENT };
        return;
      }
      try {
        yield* client.request(request, signal);
      } finally {
        release(bytes);
      }
    },
  };
}

/** How long to wait for a client after an abort. The contract allows a second in total. */
const ABORT_GRACE_MS = 800;

const ABORTED: ModelFault = { kind: 'aborted', message: 'interrupted' };

function guardClient(client: ModelClient, clock: Clock): ModelClient {
  return {
    async *request(request, signal) {
      if (signal.aborted) {
        yield { type: 'fault', fault: NEVER_SENT };
        return;
      }
      const watched = watchClient(client, request, signal, clock);
      let isWhole = false;
      try {
        while (!isWhole) {
          const step = await watched.next();
          isWhole = step.kind === 'fault' || step.event.type === 'response-finished';
          if (step.kind === 'event') yield step.event;
          else yield { type: 'fault', fault: signal.aborted ? ABORTED : step.fault };
        }
      } finally {
        watched.end(isWhole);
      }
    },
  };
}

type Step =
  | { readonly kind: 'event'; readonly event: Exclude<ModelEvent, { readonly type: 'fault' }> }
  | { readonly kind: 'fault'; readonly fault: ModelFault };

/** Reads a client's stream, and stops waiting if it does not end in time after an abort. */
function watchClient(client: ModelClient, request: ModelRequest, signal: AbortSignal, clock: Clock) {
  // An own signal, which also aborts when the reader leaves the stream, so that nothing continues in the background.
  const abort = new AbortController();
  const steps = readSteps(client, request, abort.signal);
  let isGivenUp = false;
  let giveUp = () => {};
  let stopTimer = () => {};
  const onAbort = () => {
    abort.abort();
    stopTimer = clock.after(ABORT_GRACE_MS, () => {
      isGivenUp = true;
      giveUp();
    });
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    next: (): Promise<Step> =>
      new Promise((resolve) => {
        giveUp = () => resolve({ kind: 'fault', fault: ABORTED });
        if (isGivenUp) return giveUp();
        void steps.next().then(({ value }) => resolve(value));
      }),
    /** `isWhole`: the stream ended normally. Never waits: a client that hangs must not block its reader. */
    end: (isWhole: boolean) => {
      stopTimer();
      signal.removeEventListener('abort', onAbort);
      if (!isWhole) abort.abort();
      // Close a complete stream first, so that its connection can be reused.
      void steps.return(CUT_SHORT).then(() => abort.abort(ENDED));
    },
  };
}

/** Made once: without a reason, each abort makes an error with a stack trace. */
const ENDED = new Error('the stream has ended');

const CUT_SHORT: Step = {
  kind: 'fault',
  fault: { kind: 'stream-cut', message: 'the model client ended its stream before the response was complete' },
};

/** Yields the client's events. If the client does not end correctly, the last step is a fault. Never throws. */
async function* readSteps(client: ModelClient, request: ModelRequest, signal: AbortSignal): AsyncGenerator<Step, Step> {
  try {
    for await (const event of client.request(request, signal)) {
      if (event.type === 'fault') return { kind: 'fault', fault: event.fault };
      yield { kind: 'event', event };
    }
    return CUT_SHORT;
  } catch (error) {
    return { kind: 'fault', fault: { kind: 'stream-cut', message: `the model client failed: ${reasonOf(error)}` } };
  }
}

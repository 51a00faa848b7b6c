/**
 * What every client gets around it: its contract guarded, a bound on the bytes under way, one limiter for its key, and
 * retries. Outermost is the retry, so that a request that waits to be sent again holds no bytes.
 */

import type { Clock } from '../host/clock.js';
import { reasonOf } from '../protocol/reason-of.js';
import type { ModelFault } from './fault.js';
import type { ModelClient, ModelEvent } from './model-client.js';
import type { ModelRequest } from './request.js';
import { createLimiter, withRetry } from './retry.js';

export type ComposeOptions = {
  readonly clock: Clock;
  /** Between 0 and 1: spreads retries. */
  readonly random: () => number;
  /** The provider's: see `ModelProvider`. */
  readonly contentLength: (request: ModelRequest) => number;
  readonly maxRetries?: number;
  /** How many bytes of requests may be under way at once. */
  readonly maxBytes?: number;
};

const DEFAULT_MAX_RETRIES = 8;

/**
 * The client itself should not retry; one that does (it yields `retry-scheduled`) is not retried again.
 * Call it once per key: all that is sent through the result pauses together when the key is limited.
 */
export function composeClient(client: ModelClient, options: ComposeOptions): ModelClient {
  const { clock, random, maxRetries = DEFAULT_MAX_RETRIES } = options;
  const bounded = withBodyBudget(guardClient(client, clock), options);
  return withRetry(bounded, { clock, random, maxRetries, limiter: createLimiter(clock) });
}

/** Several hundred long conversations; what it takes in memory is a little over twice as much. */
const MAX_BYTES = 192 * 1024 * 1024;

export type BodyBudgetOptions = {
  /** How long a request is: see `ModelProvider`. */
  readonly contentLength: (request: ModelRequest) => number;
  readonly maxBytes?: number;
};

export function withBodyBudget(client: ModelClient, options: BodyBudgetOptions): ModelClient {
  const { contentLength, maxBytes = MAX_BYTES } = options;
  let held = 0;
  const waiting: { readonly bytes: number; readonly go: () => void }[] = [];
  // One that is larger than all there may be goes when nothing else does.
  const fits = (bytes: number) => held === 0 || held + bytes <= maxBytes;

  function letGo(bytes: number): void {
    held -= bytes;
    for (let next = waiting[0]; next !== undefined && fits(next.bytes); next = waiting[0]) {
      waiting.shift();
      held += next.bytes;
      next.go();
    }
  }

  /** False when the signal aborted first. */
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
        yield { type: 'fault', fault: { kind: 'aborted', message: 'interrupted' } };
        return;
      }
      try {
        yield* client.request(request, signal);
      } finally {
        letGo(bytes);
      }
    },
  };
}

/** How long a client may take to end after an abort; the contract gives it a second. */
const ABORT_GRACE_MS = 800;

const ABORTED: ModelFault = { kind: 'aborted', message: 'interrupted' };

function guardClient(client: ModelClient, clock: Clock): ModelClient {
  return {
    async *request(request, signal) {
      if (signal.aborted) {
        yield { type: 'fault', fault: ABORTED };
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

/** Reads a client step by step, and stops waiting for it when it has not ended in time after an abort. */
function watchClient(client: ModelClient, request: ModelRequest, signal: AbortSignal, clock: Clock) {
  // A signal of its own, which aborts too when the stream is left: nothing goes on in the background.
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
    /** `isWhole`: it has ended by itself. Never waits: a client that hangs must not hold up its reader. */
    end: (isWhole: boolean) => {
      stopTimer();
      signal.removeEventListener('abort', onAbort);
      if (!isWhole) abort.abort();
      // A whole stream is closed first, so that its connection can be used again.
      void steps.return(CUT_SHORT).then(() => abort.abort());
    },
  };
}

const CUT_SHORT: Step = {
  kind: 'fault',
  fault: { kind: 'stream-cut', message: 'the model client ended its stream before the response was whole' },
};

/** The client's events; the last step is a fault for whatever it does instead of ending well. Never throws. */
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

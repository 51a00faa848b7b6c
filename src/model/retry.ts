/** Retries a request after a transient fault, at the pace that the key and the model allow. */

import { type Clock, untilWoken } from '../host/clock.js';
import { plural } from '../protocol/format-numbers.js';
import { isPassing, type ModelFault, NEVER_SENT } from './fault.js';
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

/** How often an address that never answered is retried: a wrong address stays wrong. */
const RETRIES_UNREACHED = 1;

export function withRetry(client: ModelClient, options: RetryOptions): ModelClient {
  let hasAnswered = false;

  /** The number of retries after this fault. */
  function retriesAfter(fault: ModelFault): number {
    if (!isPassing(fault)) return 0;
    const own = 'retries' in fault ? fault.retries : undefined;
    return own ?? (fault.kind === 'unreachable' && !hasAnswered ? RETRIES_UNREACHED : options.maxRetries);
  }

  async function* send(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    for (let attempt = 1; ; attempt += 1) {
      const pass = await options.limiter.admit(request.prefix.model, signal);
      let delayMs: number;
      let isWaiting = false;
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
          yield { type: 'fault', fault: tooLong ? describeWait(fault, delayMs) : describeTries(fault, tries) };
          return;
        }
        isWaiting = true;
        yield { type: 'retry-scheduled', fault, attempt, delayMs, most: retriesAfter(fault) };
        isWaiting = false;
      } finally {
        // The reader does not wait, so the next request need not either: it will find out.
        if (isWaiting) pass.unpause();
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
  /** The client retries itself, so its fault is final and is not retried here. */
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

/** True if a server answered: the address is right. */
function isAnswer({ kind }: ModelFault): boolean {
  return kind !== 'unreachable' && kind !== 'misdirected' && kind !== 'no-connection' && kind !== 'aborted';
}

function describeTries(fault: ModelFault, tries: number): ModelFault {
  if (!isPassing(fault) || tries === 1) return fault;
  return { ...fault, message: `${fault.message}; gave up after ${tries} tries` };
}

function describeWait(fault: ModelFault, ms: number): ModelFault {
  const minutes = Math.ceil(ms / 60_000);
  const time = minutes < 120 ? plural(minutes, 'minute') : plural(Math.round(minutes / 60), 'hour');
  return { ...fault, message: `${fault.message}: the server asks to retry in ${time}; not waiting that long` };
}

function delayAfter(fault: ModelFault, attempt: number, random: () => number): number {
  if ('retryAfterMs' in fault && fault.retryAfterMs !== undefined) return fault.retryAfterMs;
  const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
  return Math.round(delay * (0.75 + random() * 0.5));
}

export interface Limiter {
  /**
   * Resolves when a request may be sent. A rate limit pauses the key, an overload only requests to that model. After a
   * pause, one request at a time probes whether it works again.
   */
  admit(model: string, signal: AbortSignal): Promise<Pass>;
}

interface Pass {
  /** The response has begun: the key and the model work again. */
  began(): void;
  /** The request failed. `delayMs` is how long the key or the model pauses, if the fault concerns it. */
  failed(fault: ModelFault, delayMs: number): void;
  /**
   * After `failed`: the next request to this model does not wait for the pause, but is still a probe. A limit of the
   * key stays.
   */
  unpause(): void;
  /** Returns the pass without a result (after an abort). Safe to call after the other methods. */
  release(): void;
}

/** A resource that requests share: the key, or a model. */
type Lane = { pausedUntil: number; closed: boolean; probing: boolean };

const newLane = (): Lane => ({ pausedUntil: 0, closed: false, probing: false });

export function createLimiter(clock: Clock): Limiter {
  const key = newLane();
  const models = new Map<string, Lane>();
  const waiting = new Set<() => void>();

  const laneOf = (model: string): Lane => {
    const known = models.get(model) ?? newLane();
    models.set(model, known);
    return known;
  };

  const wakeAll = () => {
    const wake = [...waiting];
    waiting.clear();
    for (const resolve of wake) resolve();
  };

  const change = (signal: AbortSignal) => untilWoken(waiting, signal);

  async function admit(model: string, signal: AbortSignal): Promise<Pass> {
    const own = laneOf(model);
    const closed = () => (signal.aborted ? [] : [key, own].filter((lane) => lane.closed));
    for (let lanes = closed(); lanes.length > 0; lanes = closed()) {
      const rest = Math.max(...lanes.map((lane) => lane.pausedUntil)) - clock.elapsed();
      if (rest > 0) await clock.sleep(rest, signal);
      else if (lanes.some((lane) => lane.probing)) await change(signal);
      else break;
    }
    const probed = closed();
    for (const lane of probed) lane.probing = true;
    return pass(own, probed);
  }

  /** `probed`: lanes that no other request enters until it is known whether they work again. */
  function pass(own: Lane, probed: readonly Lane[]): Pass {
    let settled = false;
    const settle = (works: boolean) => {
      if (settled) return;
      settled = true;
      for (const lane of probed) {
        lane.probing = false;
        if (works) lane.closed = false;
      }
      if (probed.length > 0) wakeAll();
    };
    return {
      began: () => settle(true),
      failed: (fault, delayMs) => {
        // Also after the response has begun: an overload can occur in mid-stream.
        const lane = fault.kind === 'rate-limited' ? key : fault.kind === 'overloaded' ? own : undefined;
        if (lane !== undefined) {
          lane.closed = true;
          lane.pausedUntil = Math.max(lane.pausedUntil, clock.elapsed() + delayMs);
        }
        settle(false);
      },
      unpause: () => {
        own.pausedUntil = Math.min(own.pausedUntil, clock.elapsed());
      },
      release: () => settle(false),
    };
  }

  return { admit };
}

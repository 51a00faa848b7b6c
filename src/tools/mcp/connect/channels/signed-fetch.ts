/**
 * The `fetch` of one remote server: its own headers on requests to its own origin only, a limit for the first byte,
 * bounded responses, and retries if the server was not reached (MC-14, MC-19, MC-26).
 */

import type { Clock } from '../../../../host/clock.js';
import { newAbort } from '../../../../host/clock.js';
import type { WebFetch } from '../../../../host/network.js';
import type { Limits } from '../limits.js';
import type { PausableTimers } from '../pausable-timers.js';
import { boundResponse } from './bounded-response.js';
import type { FoundHeaders } from './headers-helper.js';

export type SignedFetch = {
  readonly url: URL;
  readonly fetch: WebFetch;
  readonly clock: Clock;
  readonly patience: PausableTimers;
  readonly limits: Limits;
  readonly headers: Headers;
  /** Runs the `headersHelper` again. Absent: there is none. */
  readonly renew?: () => Promise<FoundHeaders>;
  /** Receives every secret in an outgoing request. */
  readonly sent: (secret: string) => void;
  /** True if the connection is open: then an unreachable server is waited for. */
  readonly isConnected: () => boolean;
  /** The server is no longer reachable, or has forgotten the session. */
  readonly gone: (reason: string, kind: 'unreachable' | 'forgotten') => void;
  /** The stream for the server's own messages is open. */
  readonly listening: () => void;
};

/** After a lost connection: 1 s, doubling. */
export const RECONNECT_MS = [1_000, 2_000, 4_000, 8_000, 16_000] as const;

export function signFetch(setup: SignedFetch): WebFetch {
  let headers = setup.headers;
  let isListening = false;
  let renewing: Promise<FoundHeaders> | undefined;
  const renew = (used: Headers) => {
    if (setup.renew === undefined) return undefined;
    // Another request has done it meanwhile.
    if (used !== headers) return Promise.resolve({ ok: true, headers: {} } as const);
    renewing ??= setup.renew().then((found) => {
      renewing = undefined;
      if (found.ok) headers = mergeHeaders(setup.headers, found.headers);
      return found;
    });
    return renewing;
  };
  const send = async (url: URL, request: RequestInit): Promise<Response> => {
    const used = headers;
    const response = await sendOnce(setup, url, request, used);
    const isRefused = response.status === 401 || response.status === 403;
    const renewed = isRefused && url.origin === setup.url.origin ? renew(used) : undefined;
    if (renewed === undefined) return response;
    const found = await renewed;
    // A refused stream just means that there is none to listen to.
    if (!found.ok && request.method !== 'POST') return response;
    await response.body?.cancel().catch(() => {});
    if (!found.ok) throw new Error(`the server refuses the request (${response.status}), and ${found.reason}`);
    return sendOnce(setup, url, request, headers);
  };
  return async (address, request = {}) => {
    const response = await untilReached(setup, request, () => send(new URL(address), request));
    const bounded = boundResponse(response);
    if (request.method !== 'GET') return bounded;
    if (!response.ok) return isListening ? checkSession(bounded, setup.gone) : bounded;
    isListening = true;
    setup.listening();
    return bounded;
  };
}

/** A stream that was open before and can't be reopened: the server may have restarted. */
async function checkSession(response: Response, gone: SignedFetch['gone']): Promise<Response> {
  const { status, statusText, headers } = response;
  const content = await response.text();
  if (isForgotten(status, content)) gone(FORGOTTEN, 'forgotten');
  return new Response(content, { status, statusText, headers });
}

export const FORGOTTEN = 'the server no longer knows this session';

/** 404 is the standard status for an unknown session; many servers answer 400 with an explanation. */
export function isForgotten(status: number | undefined, content: string): boolean {
  if (status === 404) return true;
  return status === 400 && /session/i.test(content) && /\b(no|not|invalid|unknown|expired)\b/i.test(content);
}

async function sendOnce(setup: SignedFetch, url: URL, request: RequestInit, own: Headers): Promise<Response> {
  const headers = new Headers(request.headers);
  // Headers set by the protocol stay; other origins (an authorization server) get none of ours.
  if (url.origin === setup.url.origin) {
    for (const [name, value] of own) if (!headers.has(name)) headers.set(name, value);
    for (const value of own.values()) setup.sent(value);
  }
  // A token of a sign-in.
  const authorization = headers.get('authorization');
  if (authorization !== null) setup.sent(authorization);
  // A listening stream may stay silent indefinitely.
  if (request.method !== 'POST') return setup.fetch(url, { ...request, headers });
  const late = newAbort();
  const seconds = Math.round(setup.limits.firstByteMs / 1000);
  const stop = setup.patience.after(setup.limits.firstByteMs, () =>
    late.abort(new Error(`the server did not begin to answer within ${seconds} seconds`)),
  );
  const signal = request.signal ? AbortSignal.any([request.signal, late.signal]) : late.signal;
  try {
    return await setup.fetch(url, { ...request, headers, signal });
  } catch (error) {
    throw late.signal.aborted ? late.signal.reason : error;
  } finally {
    stop();
  }
}

/** Retries only if the server was not reached: a request that it may have started to process is never sent twice. */
async function untilReached(
  setup: SignedFetch,
  { method, signal }: RequestInit,
  send: () => Promise<Response>,
): Promise<Response> {
  for (const ms of RECONNECT_MS) {
    try {
      return await send();
    } catch (error) {
      const isWaitedFor = method === 'POST' && setup.isConnected() && isUnreached(error);
      if (!isWaitedFor || signal?.aborted) throw error;
    }
    await setup.clock.sleep(ms, signal ?? undefined);
    if (signal?.aborted) throw signal.reason;
  }
  try {
    return await send();
  } catch (error) {
    if (setup.isConnected() && isUnreached(error)) setup.gone('the server can no longer be reached', 'unreachable');
    throw error;
  }
}

const UNREACHED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** True if the request has certainly reached no server. */
export function isUnreached(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && UNREACHED.has(error.code)) return true;
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isUnreached);
  return isUnreached(error.cause);
}

export function mergeHeaders(base: Headers, more: Readonly<Record<string, string>>): Headers {
  const merged = new Headers(base);
  for (const [name, value] of Object.entries(more)) merged.set(name, value);
  return merged;
}

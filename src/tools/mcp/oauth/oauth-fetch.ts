/**
 * `fetch` for authorization servers: with a time limit, a bounded body, and no redirects. The SDK itself follows those
 * within an origin.
 */

import { newAbort } from '../../../host/clock.js';
import type { Host } from '../../../host/host.js';
import { parseObject } from '../../../protocol/json/json-values.js';
import { showAddress } from './remote-server.js';

export type OAuthFetch = (url: string | URL, request?: RequestInit) => Promise<Response>;

const REQUEST_MS = 30_000;
const MOST_BYTES = 1024 * 1024;
/** A response with one of these must not have a body. */
const BODILESS = new Set([204, 205, 304]);

/** A request without a usable response. The message is for the user. */
export class RequestFailure extends Error {
  override name = 'RequestFailure';
}

export type OAuthFetchOptions = {
  readonly signal?: AbortSignal;
  /** Skips the body, which may be endless. */
  readonly headersOnly?: boolean;
};

export async function openOAuthFetch(host: Host, options: OAuthFetchOptions = {}): Promise<OAuthFetch> {
  const { signal, headersOnly = false } = options;
  const fetch = await host.network.webFetch(host.env);
  return async (address, request = {}) => {
    const url = new URL(address);
    const stop = newAbort();
    const end = () => stop.abort(new RequestFailure('cancelled'));
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
    const cancel = host.clock.after(REQUEST_MS, () =>
      stop.abort(new RequestFailure(`${showAddress(url)} did not answer within ${REQUEST_MS / 1000} s`)),
    );
    try {
      const response = await fetch(url, { ...plain(request), redirect: 'manual', signal: stop.signal });
      if (headersOnly) return new Response(null, { status: response.status, headers: [...response.headers] });
      return await keep(url, request.method ?? 'GET', response);
    } catch (error) {
      if (stop.signal.aborted) throw stop.signal.reason;
      throw error instanceof RequestFailure
        ? error
        : new RequestFailure(`cannot reach ${showAddress(url)}: ${deepReason(error)}`);
    } finally {
      cancel();
      signal?.removeEventListener('abort', end);
      // Abort the unread rest.
      stop.abort();
    }
  };
}

/** The SDK's objects belong to Node's own `fetch`; ours may be another. */
function plain({ method, headers, body }: RequestInit): RequestInit {
  const text = body instanceof URLSearchParams ? body.toString() : body;
  return {
    ...(method === undefined ? {} : { method }),
    headers: Object.fromEntries(new Headers(headers)),
    ...(text === undefined || text === null ? {} : { body: text }),
  };
}

/**
 * Returns Node's own response type: the SDK recognises no other, and would take every refusal for a broken response.
 */
async function keep(url: URL, method: string, response: Response): Promise<Response> {
  const text = await readBounded(url, response);
  const { status } = response;
  const headers = new Headers([...response.headers]);
  if (BODILESS.has(status)) return new Response(null, { status, headers });
  // The SDK's error would quote any page returned here.
  const isUnclear = method === 'POST' && status >= 400 && !isOAuthError(text);
  const unclear = { error: 'server_error', error_description: `${showAddress(url)} answered HTTP ${status}` };
  return new Response(isUnclear ? JSON.stringify(unclear) : text, { status, headers });
}

function isOAuthError(text: string): boolean {
  return typeof parseObject(text)?.error === 'string';
}

async function readBounded(url: URL, response: Response): Promise<string> {
  if (response.body === null) return '';
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += piece.length;
    if (size > MOST_BYTES) throw new RequestFailure(`${showAddress(url)} answered with more than ${MOST_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** `fetch` itself only reports that it failed. */
function deepReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return deepReason(error.cause);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message || code || error.name;
}

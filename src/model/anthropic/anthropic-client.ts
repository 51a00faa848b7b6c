/** A client for the Messages API on the official SDK, which sends our bytes unchanged. It does not retry. */

import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import { APIConnectionError, APIError, APIUserAbortError } from '@anthropic-ai/sdk/error';
import { Stream } from '@anthropic-ai/sdk/streaming';
import type { Clock } from '../../host/clock.js';
import type { PlainFetch, PlainRequest } from '../../host/network.js';
import { objectOf } from '../../protocol/json/json-values.js';
import type { ModelFault } from '../fault.js';
import type { ModelClient, ModelEvent } from '../model-client.js';
import type { ModelRequest } from '../request.js';
import { buildBody } from './body.js';
import { checkEvent } from './check-event.js';
import {
  deepestMessage,
  faultFromConnection,
  faultFromPage,
  faultFromRedirect,
  faultFromStranger,
  firstLine,
  shownAddress,
} from './connection-fault.js';
import { faultFromErrorType, faultFromStatus } from './fault-from-error.js';
import { asAnthropicPrefix } from './prefix.js';
import { readStream } from './read-stream.js';
import { type SilenceWatch, watchSilence } from './watch-silence.js';
import type { WireEvent } from './wire.js';

export type AnthropicOptions = {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly userAgent: string;
  readonly clock: Clock;
  /** See `watchSilence`. */
  readonly silenceMs: number;
  readonly pingsMs?: number;
  readonly fetch: PlainFetch;
};

export type Credentials =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'token'; readonly token: string }
  /** The user's command that prints a key. It runs again after a 401. */
  | { readonly kind: 'helper'; readonly getKey: (fresh: boolean) => Promise<string> };

export function createAnthropicClient(options: AnthropicOptions): ModelClient {
  const sdk = new PlainAnthropic(options.baseUrl, options.fetch);
  const address = shownAddress(new URL(options.baseUrl));

  async function open(request: ModelRequest, signal: AbortSignal, freshKey: boolean) {
    const { apiVersion, betas: ofPrefix } = asAnthropicPrefix(request.prefix);
    const betas = [...new Set([...ofPrefix, ...(request.betas ?? [])])];
    const headers = {
      'content-type': 'application/json',
      'anthropic-version': apiVersion,
      ...(betas.length > 0 ? { 'anthropic-beta': betas.join(',') } : {}),
      'user-agent': options.userAgent,
      ...senderHeaders(request),
      ...(await authHeaders(options.credentials, freshKey)),
    };
    return sdk.post('/v1/messages', { body: buildBody(request), headers, signal, stream: true }).asResponse();
  }

  async function* request(parts: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const watch = watchSilence(options, signal);
    try {
      const response = await openOnce(parts, watch.controller.signal);
      if (isPage(response)) yield { type: 'fault', fault: faultFromPage(address) };
      else yield* readStream(heardEvents(response, watch));
    } catch (error) {
      const silence = watch.silence();
      const fault =
        silence && !signal.aborted ? SILENT[silence] : faultFrom(error, signal, address, options.clock.now());
      yield { type: 'fault', fault };
    } finally {
      watch.end();
    }
  }

  async function openOnce(parts: ModelRequest, signal: AbortSignal): Promise<Response> {
    try {
      return await open(parts, signal, false);
    } catch (error) {
      const stale = options.credentials.kind === 'helper' && error instanceof APIError && error.status === 401;
      if (!stale) throw error;
      return open(parts, signal, true);
    }
  }

  return { request };
}

function isPage({ headers }: Response): boolean {
  return /^text\/html\b/i.test(headers.get('content-type') ?? '');
}

const SILENT: Readonly<Record<'nothing' | 'pings', ModelFault>> = {
  nothing: { kind: 'stream-silent', message: 'the model sent nothing for too long' },
  // The connection works, and it took long: retry only once.
  pings: { kind: 'stream-silent', message: 'the model sent nothing but pings for too long', retries: 1 },
};

async function* heardEvents(response: Response, watch: SilenceWatch): AsyncGenerator<WireEvent> {
  for await (const sse of Stream.rawEvents(response, watch.controller)) {
    if (sse.data === '') continue;
    const event = JSON.parse(sse.data) as WireEvent;
    watch.heard(event.type === 'ping' ? 'ping' : 'content');
    if (event.type === 'error') throw new APIError(undefined, event, undefined, response.headers);
    yield checkEvent(event);
  }
  // The SDK ends an aborted stream as if it were complete.
  if (watch.controller.signal.aborted) throw new APIUserAbortError();
}

function senderHeaders({ sender }: ModelRequest): Record<string, string> {
  return sender === undefined ? {} : { 'x-coppice-chain': sender.chain, 'x-coppice-depth': String(sender.depth) };
}

async function authHeaders(credentials: Credentials, fresh: boolean): Promise<Record<string, string>> {
  switch (credentials.kind) {
    case 'key':
      return { 'x-api-key': credentials.key };
    case 'token':
      return { authorization: `Bearer ${credentials.token}` };
    case 'helper': {
      const key = await credentials.getKey(fresh).catch((error: unknown) => {
        throw new NoKeyError(deepestMessage(error));
      });
      return { authorization: `Bearer ${key}`, 'x-api-key': key };
    }
    default:
      return credentials satisfies never;
  }
}

class NoKeyError extends Error {}

function faultFrom(error: unknown, signal: AbortSignal, address: string, now: number): ModelFault {
  if (error instanceof NoKeyError) return { kind: 'unauthorized', message: error.message };
  if (signal.aborted || error instanceof APIUserAbortError) return { kind: 'aborted', message: 'interrupted' };
  if (error instanceof APIConnectionError) return faultFromConnection(error, address);
  if (error instanceof APIError) {
    const described = describeApiError(error);
    const stranger = error.status && faultFromStranger(error.status, error.error, address);
    if (stranger) return stranger;
    if (error.status === undefined) return faultFromErrorType(described.type, described.message);
    if (error.status >= 300 && error.status < 400) {
      return faultFromRedirect(error.status, error.headers?.get('location'), address);
    }
    // An explicit x-should-retry overrides the status.
    if (error.headers?.get('x-should-retry') === 'false' && error.status >= 500) {
      return { kind: 'invalid-request', message: `HTTP ${error.status}: ${described.message}` };
    }
    return faultFromStatus(error.status, described.message, retryAfter(error.headers, now));
  }
  if (error instanceof SyntaxError) return { kind: 'stream-malformed', message: 'the response is not valid' };
  return { kind: 'stream-cut', message: `the response ended early: ${deepestMessage(error)}` };
}

function describeApiError(error: { readonly error?: unknown; readonly message: string }): {
  type: string;
  message: string;
} {
  const outer = objectOf(error.error);
  const inner = objectOf(outer.error ?? outer);
  return {
    type: typeof inner.type === 'string' ? inner.type : 'api_error',
    message: (typeof inner.message === 'string' ? inner.message : firstLine(error.message)).replace(/\.$/, ''),
  };
}

function retryAfter(headers: Headers | undefined, now: number): number | undefined {
  const ms = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const value = headers?.get('retry-after');
  if (!value) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

type BuildRequest = BaseAnthropic['buildRequest'];

/**
 * The SDK's client, sending requests exactly as given. The SDK would build a `Headers` object several times per
 * request, which loads all of Node's `fetch` and is most of the cost of a request.
 */
class PlainAnthropic extends BaseAnthropic {
  readonly #fetch: PlainFetch;

  constructor(baseUrl: string, fetch: PlainFetch) {
    // A dummy key keeps the SDK from looking for one: the caller sets the real header.
    super({ baseURL: baseUrl, apiKey: 'unused', maxRetries: 0, logLevel: 'off' });
    this.#fetch = fetch;
    // The SDK checks whether a body is a `ReadableStream`, which loads Node's web streams. Ours are bytes.
    Object.defineProperty(this, 'isStreamBody', { value: () => false });
  }

  override async buildRequest(options: Parameters<BuildRequest>[0]): ReturnType<BuildRequest> {
    const { method, path, headers, body, signal } = options;
    const request = { method: method.toUpperCase(), headers, body, signal };
    const url = this.buildURL(path, undefined);
    return { req: request, url, timeout: this.timeout } as Awaited<ReturnType<BuildRequest>>;
  }

  /** Without a timeout: the caller watches the response and aborts. */
  override async fetchWithTimeout(url: string, init: RequestInit | undefined): Promise<Response> {
    return (await this.#fetch(url, init as unknown as PlainRequest)) as unknown as Response;
  }
}

/** The recorded data about each request, for tests. */

import type { WireRequest, WireStopReason, WireUsage } from '../../model/anthropic/wire.js';
import type { Exchange } from './local-server.js';
import { type SeenResult, seeRequest } from './seen-request.js';

export type SimRequest = {
  readonly index: number;
  /** Time of arrival, by the simulated model's clock. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The received bytes. Empty if bodies are not stored. */
  readonly raw: Buffer;
  /** The parsed body. It may have any shape if the request was refused. */
  readonly body: WireRequest;
  /** The tool results of its last user turn. */
  readonly results: readonly SeenResult[];
  /** The response status. Undefined before the response, and if the connection was closed before it. */
  readonly status?: number;
  readonly usage?: WireUsage;
  readonly stop?: WireStopReason;
  /** The rule that replied, by number and name. */
  readonly rule?: string;
  /** The kind of fault that was applied. */
  readonly fault?: string;
  /** Why it was refused, or what went wrong. */
  readonly error?: string;
  readonly ended: 'open' | 'answered' | 'cut' | 'client left';
};

/** A request that is still being answered. */
export type OpenRequest = { -readonly [Name in keyof SimRequest]: SimRequest[Name] };

export function openRequest(exchange: Exchange, index: number, at: number, keepBodies: boolean): OpenRequest {
  const raw = keepBodies && exchange.body ? exchange.body : Buffer.alloc(0);
  const { method, path, headers } = exchange;
  let parsed: WireRequest | undefined;
  return {
    index,
    at,
    method,
    path,
    headers,
    raw,
    ended: 'open',
    // Parsed on access: a thousand large bodies are cheaper as bytes.
    get body() {
      parsed ??= JSON.parse(raw.toString('utf8')) as WireRequest;
      return parsed;
    },
    get results() {
      return seeRequest(this.body, headers).results;
    },
  };
}

/** Describes a request in one line. */
export function describeSimRequest(request: SimRequest): string {
  const { usage } = request;
  const parts = [
    `#${request.index} ${request.method} ${request.path}`,
    `→ ${request.status ?? request.ended}`,
    request.rule && `rule ${request.rule}`,
    request.fault && `fault ${request.fault}`,
    usage &&
      `tokens in ${usage.input_tokens} read ${usage.cache_read_input_tokens} written ${usage.cache_creation_input_tokens} out ${usage.output_tokens}`,
    request.error,
  ];
  return parts.filter(Boolean).join(' · ');
}

/** The network port. Modules are loaded on first use: most sessions need no proxy. */

import type { Failure } from '../protocol/result.js';
import type { Environment } from './environment.js';

export interface Network {
  /**
   * Opens connections for the requests of one task. They are not shared and use no proxy.
   * With `publicOnly`, a request to this machine or the local network rejects with `PrivateAddressError`. A name is
   * resolved once, when the connection is made: the checked address is the one connected to, so DNS rebinding fails.
   */
  open(options: { readonly publicOnly: boolean }): Promise<Connections>;
  /**
   * Finds the `fetch` for a URL, according to the variables HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY and
   * NODE_EXTRA_CA_CERTS of `env`. Never rejects.
   */
  findFetch(url: URL, env: Environment): Promise<FoundFetch>;
  /**
   * Returns a complete web `fetch` with the same variables, for libraries that need one. It has no timeouts and follows
   * no redirects. A request rejects, with a reason for people, if the proxy or the certificate authorities are
   * unusable.
   */
  webFetch(env: Environment): Promise<WebFetch>;
}

export type WebFetch = (url: string | URL, request?: RequestInit) => Promise<Response>;

export interface Connections {
  /** Rejects like `fetch`. A redirect is returned, not followed. */
  request(url: URL, options: RequestOptions): Promise<Response>;
  /** Closes every connection, including those in use. Never throws. */
  close(): void;
}

export type RequestOptions = {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

export type FoundFetch =
  | { readonly ok: true; readonly fetch: PlainFetch }
  | (Failure & { readonly kind: 'bad-proxy' | 'bad-ca' });

/** The part of `fetch` that is used for a request with a whole body and a streamed response. */
export type PlainFetch = (url: string, request: PlainRequest) => Promise<PlainResponse>;

export type PlainRequest = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
};

export type PlainResponse = {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: PlainHeaders;
  readonly body: AsyncIterable<Uint8Array> | null;
  text(): Promise<string>;
};

export type PlainHeaders = {
  get(name: string): string | null;
  entries(): IterableIterator<[string, string]>;
};

export class PrivateAddressError extends Error {
  override name = 'PrivateAddressError';

  constructor(
    /** The host as written in the URL. */
    readonly host: string,
    readonly address: string,
  ) {
    super(`${host} is ${address}, which is not a public address`);
  }
}

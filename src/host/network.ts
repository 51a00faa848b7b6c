/** The network. Nothing is loaded before a call needs it: most sessions use Node's own `fetch` and no proxy. */

import type { Environment } from './environment.js';

export interface Network {
  /**
   * Opens connections for the requests of one task; they are not shared with anything else and use no proxy.
   * With `publicOnly`, a request to this machine or the local network rejects with `PrivateAddressError`. A name is
   * checked when the connection is made, and the address that was checked is the one connected to: a name that resolves
   * differently the second time gains nothing.
   */
  open(options: { readonly publicOnly: boolean }): Promise<Connections>;
  /**
   * Finds the `fetch` that reaches a URL, by the variables HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY and
   * NODE_EXTRA_CA_CERTS of `env`. Never rejects.
   */
  findFetch(url: URL, env: Environment): Promise<FoundFetch>;
}

export interface Connections {
  /** Rejects as `fetch` does. A redirect is returned, not followed. */
  request(url: URL, options: RequestOptions): Promise<Response>;
  /** Cuts every connection, also one that is in use. Never throws. */
  close(): void;
}

export type RequestOptions = {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/** `fetch` is undefined when Node's own is the right one. */
export type FoundFetch =
  | { readonly ok: true; readonly fetch: typeof fetch | undefined }
  | { readonly ok: false; readonly kind: 'bad-proxy' | 'bad-ca'; readonly reason: string };

export class PrivateAddressError extends Error {
  override name = 'PrivateAddressError';

  constructor(
    /** The host as the URL has it. */
    readonly host: string,
    readonly address: string,
  ) {
    super(`${host} is ${address}, which is not a public address`);
  }
}

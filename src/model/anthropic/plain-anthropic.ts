/**
 * The SDK's client, with requests that hold what we give and nothing else. The SDK would build a `Headers` object several
 * times per request, which loads the whole of Node's `fetch` and is most of what a request costs.
 */

import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type { PlainFetch, PlainRequest } from '../../host/network.js';

export class PlainAnthropic extends BaseAnthropic {
  readonly #fetch: PlainFetch;

  constructor(baseUrl: string, fetch: PlainFetch) {
    // A dummy key keeps the SDK from looking for one: the caller sets the real header.
    super({ baseURL: baseUrl, apiKey: 'unused', maxRetries: 0, logLevel: 'off' });
    this.#fetch = fetch;
  }

  override async buildRequest(
    options: Parameters<BaseAnthropic['buildRequest']>[0],
  ): ReturnType<BaseAnthropic['buildRequest']> {
    const { method, path, headers, body, signal } = options;
    const url = this.buildURL(path, undefined);
    const timeout = this.timeout;
    return { req: { method, headers, body, signal }, url, timeout } as Awaited<
      ReturnType<BaseAnthropic['buildRequest']>
    >;
  }

  /** Without a timeout: the caller watches the response and aborts. */
  override async fetchWithTimeout(url: string, init: RequestInit | undefined): Promise<Response> {
    const { method, headers, body, signal } = init as unknown as PlainRequest;
    const request = { method: method.toUpperCase(), headers, body, signal };
    return (await this.#fetch(url, request)) as unknown as Response;
  }
}

/**
 * The SDK's client, sending requests exactly as given. The SDK would build a `Headers` object several times per
 * request, which loads all of Node's `fetch` and is most of the cost of a request.
 */

import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type { PlainFetch, PlainRequest } from '../../host/network.js';

type BuildRequest = BaseAnthropic['buildRequest'];

export class PlainAnthropic extends BaseAnthropic {
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

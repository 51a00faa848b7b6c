/** Requests to the client: sends each, matches the answer by id, and cancels those nobody waits for any more. */

import { newAbort } from '../../../host/clock.js';
import type { ControlResponse } from './client-line.js';

export type ClientRequestsOptions = {
  readonly print: (line: object) => void;
  readonly newId: () => string;
};

/** The outcome of a request. */
export type ClientAnswer =
  | { readonly kind: 'answered'; readonly id: string; readonly response: unknown }
  | { readonly kind: 'failed'; readonly error: string }
  /** The client has closed its input: nobody will answer. */
  | { readonly kind: 'gone' }
  /** The signal was aborted first. */
  | { readonly kind: 'withdrawn' };

export class ClientRequests {
  readonly #options: ClientRequestsOptions;
  readonly #pending = new Map<string, (answer: ClientAnswer) => void>();
  readonly #gone = newAbort();

  constructor(options: ClientRequestsOptions) {
    this.#options = options;
  }

  /** Aborted when the client has closed its input. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Never rejects. */
  send(request: object, signal?: AbortSignal): Promise<ClientAnswer> {
    if (this.gone.aborted) return Promise.resolve({ kind: 'gone' });
    if (signal?.aborted) return Promise.resolve({ kind: 'withdrawn' });
    const request_id = this.#options.newId();
    return new Promise((resolve) => {
      const takeBack = () => {
        this.#pending.delete(request_id);
        this.#options.print({ type: 'control_cancel_request', request_id });
        resolve({ kind: 'withdrawn' });
      };
      this.#pending.set(request_id, (answer) => {
        this.#pending.delete(request_id);
        signal?.removeEventListener('abort', takeBack);
        resolve(answer);
      });
      signal?.addEventListener('abort', takeBack, { once: true });
      this.#options.print({ type: 'control_request', request_id, request });
    });
  }

  /** False if nobody waits for it: it is late, repeated or unknown, and is ignored. */
  answer(response: ControlResponse): boolean {
    const { request_id: id } = response;
    const settle = this.#pending.get(id);
    if (response.subtype === 'error') settle?.({ kind: 'failed', error: response.error });
    else settle?.({ kind: 'answered', id, response: response.response });
    return settle !== undefined;
  }

  /** The input has ended. */
  close(): void {
    for (const settle of [...this.#pending.values()]) settle({ kind: 'gone' });
    this.#gone.abort();
  }
}

/** A `fetch` that forwards everything and records it. */

import { reasonOf } from '../../protocol/reason-of.js';
import { apiPath, type FindSender, respondWith, type TrafficFetch, type TrafficResponse } from './traffic-fetch.js';
import type { EndExchange, GivenAnswer, TrafficRecorder } from './traffic-recorder.js';

export function recordFetch(fetch: TrafficFetch, recorder: TrafficRecorder, findSender: FindSender): TrafficFetch {
  return async (url, request) => {
    const { method, headers, body, signal } = request;
    const end = recorder.begin({ method, path: apiPath(url), headers, body, agent: findSender(headers) });
    try {
      return listen(await fetch(url, request), end, signal);
    } catch (error) {
      await end({ status: 0, headers: {}, body: '', ...howItEnded(error, signal) });
      throw error;
    }
  };
}

function howItEnded(error: unknown, signal: AbortSignal): Pick<GivenAnswer, 'cut' | 'broken'> {
  if (signal.aborted) return { cut: true };
  return { broken: reasonOf(error) };
}

function listen(response: TrafficResponse, end: EndExchange, signal: AbortSignal): TrafficResponse {
  const { status, body } = response;
  const headers = Object.fromEntries(response.headers.entries());
  return respondWith(status, headers, { [Symbol.asyncIterator]: () => heard() });

  async function* heard(): AsyncGenerator<Uint8Array> {
    const decoder = new TextDecoder();
    let text = '';
    let how: Pick<GivenAnswer, 'cut' | 'broken'> = { cut: true };
    try {
      for await (const piece of body ?? []) {
        text += decoder.decode(piece, { stream: true });
        // Written before the reader gets the end: it may stop then, and the process may exit.
        if (isWholeStream(text)) await end({ status, headers, body: `${text.trimEnd()}\n\n` });
        yield piece;
      }
      how = {};
    } catch (error) {
      how = howItEnded(error, signal);
      throw error;
    } finally {
      await end({ status, headers, body: text, ...how });
    }
  }
}

const TAIL = 200;

/** True once the last event of a message has arrived. */
export function isWholeStream(text: string): boolean {
  return /(?:^|\n)event: ?message_stop\r?\ndata:[^\n]*\n/.test(text.slice(-TAIL));
}

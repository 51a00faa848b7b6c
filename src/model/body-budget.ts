/**
 * How many bytes of requests are under way at once. A request body is as long as its conversation and is held until the
 * response has ended: a thousand forks of a megabyte would hold gigabytes. Beyond the bound requests wait, in order.
 */

import { contentLength } from './anthropic/body.js';
import type { ModelClient } from './model-client.js';

/** Several hundred long conversations; what it takes in memory is a little over twice as much. */
const MAX_BYTES = 192 * 1024 * 1024;

export function withBodyBudget(client: ModelClient, maxBytes: number = MAX_BYTES): ModelClient {
  let held = 0;
  const waiting: { readonly bytes: number; readonly go: () => void }[] = [];
  // One that is larger than all there may be goes when nothing else does.
  const fits = (bytes: number) => held === 0 || held + bytes <= maxBytes;

  function letGo(bytes: number): void {
    held -= bytes;
    for (let next = waiting[0]; next !== undefined && fits(next.bytes); next = waiting[0]) {
      waiting.shift();
      held += next.bytes;
      next.go();
    }
  }

  /** False when the signal aborted first. */
  async function enter(bytes: number, signal: AbortSignal): Promise<boolean> {
    if (waiting.length === 0 && fits(bytes)) {
      held += bytes;
      return true;
    }
    return new Promise((resolve) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(waiter), 1);
        resolve(false);
      };
      const waiter = {
        bytes,
        go: () => {
          signal.removeEventListener('abort', leave);
          resolve(true);
        },
      };
      if (signal.aborted) return resolve(false);
      signal.addEventListener('abort', leave, { once: true });
      waiting.push(waiter);
    });
  }

  return {
    async *request(parts, signal) {
      const bytes = contentLength(parts);
      if (!(await enter(bytes, signal))) {
        yield { type: 'fault', fault: { kind: 'aborted', message: 'interrupted' } };
        return;
      }
      try {
        yield* client.request(parts, signal);
      } finally {
        letGo(bytes);
      }
    },
  };
}

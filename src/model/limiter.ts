/**
 * One per key, shared by all agents that use it: when the API says "slow down", everybody waits, and afterwards one
 * request goes first. Only when its response begins are the others let through. Thirty children never storm.
 */

import type { Clock } from '../host/clock.js';
import { concernsKey, type ModelFault } from './fault.js';

export interface Limiter {
  /** Resolves when a request may go out; says whether it is the one that tries the door. */
  admit(signal: AbortSignal): Promise<Pass>;
}

export interface Pass {
  /** The response has begun: the door is open. */
  began(): void;
  /** It failed. `delayMs` is how long the key should rest if the fault concerns the key. */
  failed(fault: ModelFault, delayMs: number): void;
  /** Gives the pass back without a verdict (an abort). Safe to call after the others. */
  release(): void;
}

export function createLimiter(clock: Clock): Limiter {
  let restsUntil = 0;
  let closed = false;
  let trying = false;
  const waiting = new Set<() => void>();

  const wakeAll = () => {
    const wake = [...waiting];
    waiting.clear();
    for (const resolve of wake) resolve();
  };

  const change = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const done = () => {
        waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });

  async function admit(signal: AbortSignal): Promise<Pass> {
    while (closed && !signal.aborted) {
      const rest = restsUntil - clock.elapsed();
      if (rest > 0) await clock.sleep(rest, signal);
      else if (trying) await change(signal);
      else break;
    }
    const first = closed && !signal.aborted;
    if (first) trying = true;
    return pass(first);
  }

  function pass(first: boolean): Pass {
    let settled = false;
    const settle = (then: () => void) => {
      if (settled) return;
      settled = true;
      if (first) trying = false;
      then();
      if (first) wakeAll();
    };
    return {
      began: () =>
        settle(() => {
          if (first) closed = false;
        }),
      failed: (fault, delayMs) => {
        // Also after the response had begun: an overload can come in mid-stream.
        if (concernsKey(fault)) {
          closed = true;
          restsUntil = Math.max(restsUntil, clock.elapsed() + delayMs);
        }
        settle(() => {});
      },
      release: () => settle(() => {}),
    };
  }

  return { admit };
}

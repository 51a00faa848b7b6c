/** The clock port: wall time for records, monotonic time for durations, and timers that can be cancelled. */

import { setMaxListeners } from 'node:events';

export interface Clock {
  /** Milliseconds since 1970. May jump in either direction. */
  now(): number;
  /** Milliseconds since a fixed point. Never decreases. */
  elapsed(): number;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `then` after `ms`, unless cancelled. The timer doesn't keep the process alive. */
  after(ms: number, then: () => void): Cancel;
}

export type Cancel = () => void;

export const realClock: Clock = {
  now: () => Date.now(),
  // `performance` would be loaded just for this.
  elapsed: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done, { once: true });
    }),
  after: (ms, then) => {
    const timer = setTimeout(then, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export function newAbort(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** Aborts as soon as one of the signals does. */
export function eitherSignal(...signals: readonly AbortSignal[]): AbortSignal {
  const either = AbortSignal.any([...signals]);
  setMaxListeners(0, either);
  return either;
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Resolves when the function that it adds to `waiting` is called, or the signal aborts. */
export function untilWoken(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      waiting.delete(done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    waiting.add(done);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** Gives up a response from which nothing comes any more. Pings count as a sign of life. */

import type { Clock } from '../../host/clock.js';

export type SilenceWatch = {
  /** Aborts with the caller's signal, or when it has been silent for too long. */
  readonly controller: AbortController;
  heard(): void;
  isSilent(): boolean;
  end(): void;
};

export function watchSilence(clock: Clock, silenceMs: number, signal: AbortSignal): SilenceWatch {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let lastHeard = clock.elapsed();
  let silent = false;
  let cancel = () => {};
  // One timer that looks when it rings, instead of a new one per event.
  const wait = (ms: number) => {
    cancel = clock.after(ms, () => {
      const left = lastHeard + silenceMs - clock.elapsed();
      if (left > 0) return wait(left);
      silent = true;
      abort();
    });
  };
  wait(silenceMs);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return {
    controller,
    heard: () => {
      lastHeard = clock.elapsed();
    },
    isSilent: () => silent,
    end: () => {
      cancel();
      signal.removeEventListener('abort', abort);
    },
  };
}

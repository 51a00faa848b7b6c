/** Aborts a response that is silent for too long. */

import type { Clock } from '../../host/clock.js';

export type SilenceOptions = {
  readonly clock: Clock;
  /** How long no data at all may arrive. */
  readonly silenceMs: number;
  /** How long only pings may arrive: the server is there, and the model may be working. */
  readonly pingsMs?: number;
};

/** The API sends pings while the model thinks. */
const DEFAULT_PINGS_MS = 600_000;

export type SilenceWatch = {
  /** Aborts with the caller's signal, or after too long without data. */
  readonly controller: AbortController;
  heard(what: 'ping' | 'content'): void;
  /** The limit that was exceeded; undefined if none was. */
  silence(): 'nothing' | 'pings' | undefined;
  end(): void;
};

export function watchSilence(options: SilenceOptions, signal: AbortSignal): SilenceWatch {
  const { clock, silenceMs, pingsMs = Math.max(silenceMs, DEFAULT_PINGS_MS) } = options;
  const controller = new AbortController();
  const abort = () => controller.abort();
  let heardAt = clock.elapsed();
  let contentAt = heardAt;
  let silence: 'nothing' | 'pings' | undefined;
  let cancel = () => {};
  // One timer that checks when it fires, instead of a new timer per event.
  const wait = (ms: number) => {
    cancel = clock.after(ms, () => {
      const now = clock.elapsed();
      const left = { nothing: heardAt + silenceMs - now, pings: contentAt + pingsMs - now };
      if (left.nothing > 0 && left.pings > 0) return wait(Math.min(left.nothing, left.pings));
      silence = left.nothing > 0 ? 'pings' : 'nothing';
      abort();
    });
  };
  wait(Math.min(silenceMs, pingsMs));
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return {
    controller,
    heard: (what) => {
      heardAt = clock.elapsed();
      if (what === 'content') contentAt = heardAt;
    },
    silence: () => silence,
    end: () => {
      cancel();
      signal.removeEventListener('abort', abort);
    },
  };
}

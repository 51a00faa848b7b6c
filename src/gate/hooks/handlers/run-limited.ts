/** Runs a hook within its time limit. */

import type { Clock } from '../../../host/clock.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import type { HookRun } from '../hook-answer.js';

export type LimitOptions = {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Never rejects. At the timeout or on an abort, the work's signal aborts, and work that ignores it is abandoned. `threw`
 * maps an error of the work to an outcome.
 */
export async function runLimited(
  { clock, timeoutMs, signal }: LimitOptions,
  work: (signal: AbortSignal) => Promise<HookRun>,
  threw: (reason: string) => HookRun = (reason) => ({ kind: 'failed', reason }),
): Promise<HookRun> {
  if (signal?.aborted) return { kind: 'aborted' };
  const stop = new AbortController();
  let cancel = () => {};
  const forced = new Promise<HookRun>((resolve) => {
    const end = (run: HookRun) => {
      resolve(run);
      stop.abort();
    };
    const cancelTimer = clock.after(timeoutMs, () => end({ kind: 'timed out', seconds: timeoutMs / 1000 }));
    const onAbort = () => end({ kind: 'aborted' });
    signal?.addEventListener('abort', onAbort, { once: true });
    cancel = () => {
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
    };
  });
  const working = async () => {
    try {
      return await work(stop.signal);
    } catch (error) {
      return threw(reasonOf(error));
    }
  };
  const run = await Promise.race([working(), forced]);
  cancel();
  return run;
}

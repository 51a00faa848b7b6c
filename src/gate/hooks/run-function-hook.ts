/** Runs a function hook of the embedding program. */

import type { Clock } from '../../host/clock.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { HookRun } from './hook-answer.js';
import type { FunctionHandler } from './hook-config.js';
import type { HookInput } from './input.js';

type FunctionRunOptions = { readonly clock: Clock; readonly signal?: AbortSignal | undefined };

/** Never rejects. A function that ignores its signal is abandoned at the timeout; it can't be stopped. */
export async function runFunctionHook(
  handler: FunctionHandler,
  input: string,
  options: FunctionRunOptions,
): Promise<HookRun> {
  if (options.signal?.aborted) return { kind: 'aborted' };
  const stop = new AbortController();
  let cancel = () => {};
  const forced = new Promise<HookRun>((resolve) => {
    const end = (run: HookRun) => {
      resolve(run);
      stop.abort();
    };
    const cancelTimer = options.clock.after(handler.timeoutMs, () =>
      end({ kind: 'timed out', seconds: handler.timeoutMs / 1000 }),
    );
    const onAbort = () => end({ kind: 'aborted' });
    options.signal?.addEventListener('abort', onAbort, { once: true });
    cancel = () => {
      cancelTimer();
      options.signal?.removeEventListener('abort', onAbort);
    };
  });
  const run = await Promise.race([callHook(handler, input, stop.signal), forced]);
  cancel();
  return run;
}

async function callHook(handler: FunctionHandler, input: string, signal: AbortSignal): Promise<HookRun> {
  try {
    return { kind: 'answered', answer: await handler.call(JSON.parse(input) as HookInput, { signal }) };
  } catch (error) {
    return { kind: 'threw', reason: reasonOf(error) };
  }
}

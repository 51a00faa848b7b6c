/** Runs a function hook of the embedding program. */

import type { Clock } from '../../host/clock.js';
import { runLimited } from './handlers/run-limited.js';
import type { HookRun } from './hook-answer.js';
import type { FunctionHandler } from './hook-config.js';
import type { HookInput } from './input.js';

type FunctionRunOptions = { readonly clock: Clock; readonly signal?: AbortSignal | undefined };

/** Never rejects. A function that ignores its signal is abandoned at the timeout; it can't be stopped. */
export function runFunctionHook(
  { call, timeoutMs }: FunctionHandler,
  input: string,
  options: FunctionRunOptions,
): Promise<HookRun> {
  return runLimited(
    { ...options, timeoutMs },
    async (signal) => ({ kind: 'answered', answer: await call(JSON.parse(input) as HookInput, { signal }) }),
    (reason) => ({ kind: 'threw', reason }),
  );
}

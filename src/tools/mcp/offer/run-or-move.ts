/** Moves a call to the background if it takes too long to wait for (MC-19). */

import { newAbort } from '../../../host/clock.js';
import { failed, succeeded, type ToolOutcome } from '../../../protocol/outcome.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import type { ToolContext } from '../../tool.js';

/** `call` must not reject, and ends when its signal aborts. */
export async function runOrMove(
  tool: string,
  context: ToolContext,
  call: (signal: AbortSignal) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const { keepCalling, signal, host } = context;
  if (keepCalling === undefined) return call(signal);
  const own = newAbort();
  const follow = () => own.abort();
  if (signal.aborted) follow();
  signal.addEventListener('abort', follow, { once: true });
  const outcome = call(own.signal);
  const inTime = newAbort();
  const first = await Promise.race([outcome, host.clock.sleep(keepCalling.afterMs, inTime.signal)]);
  inTime.abort();
  if (first !== undefined || signal.aborted) return outcome;
  try {
    const { id, outputFile } = await keepCalling.keep({ tool, outcome, cancel: follow });
    // From here on, only its own end or the user ends it.
    signal.removeEventListener('abort', follow);
    return succeeded(
      `It takes longer than ${keepCalling.afterMs / 1000} s and goes on in the background as task ${id}. A notice with its result comes when it ends; don't call it again. The result will also be in ${outputFile}.`,
    );
  } catch (error) {
    follow();
    return failed(reasonOf(error));
  }
}

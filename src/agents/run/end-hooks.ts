/** Runs the SubagentStop hooks of a run that did not complete. They are notified of its end and can't prevent it. */

import { newAbort } from '../../host/clock.js';
import { notifyStopHooks } from '../../loop/stop-hooks.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';

/** Their time limit after an aborted run: nothing else would end them. */
const AFTER_ABORT_MS = 5_000;

/**
 * `text` is the output of the run so far. An abort of the run, of its waiting call or of the session ends the hooks.
 */
export async function runEndHooks(runtime: Runtime, agent: LiveAgent, reason: string, text: string): Promise<void> {
  if (runtime.isClosing || !agent.hooks.has('SubagentStop')) return;
  const leaving = newAbort();
  agent.leaving = leaving;
  const { signal } = agent.abort;
  const end = () => leaving.abort();
  signal.addEventListener('abort', end, { once: true });
  const cancel = signal.aborted ? runtime.host.clock.after(AFTER_ABORT_MS, end) : () => {};
  await notifyStopHooks(agent, reason, text, leaving.signal);
  cancel();
  signal.removeEventListener('abort', end);
  agent.leaving = undefined;
}

/** SubagentStop hooks of a run that did not complete. They are told of its end and can't prevent it. */

import { newAbort } from '../../host/clock.js';
import { notifyStopHooks } from '../../loop/stop-hooks.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';

/** How long they have after a run that was aborted: nothing else would end them. */
const AFTER_ABORT_MS = 5_000;

/** What the run had said is `text`. An abort of the run, of who waits for it or of the session ends them. */
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

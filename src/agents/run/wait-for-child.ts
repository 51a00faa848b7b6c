/** A call that waits until its child has ended or moved to the background. */

import { applySwitches } from '../../loop/epoch.js';
import type { Listener } from '../../protocol/events.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import { worktreeFacts } from '../worktrees/settle-worktree.js';
import type { AgentResult } from './result.js';

/** If the child moves to the background, the same run continues and this call stops waiting. */
export async function waitForChild(runtime: Runtime, parent: LiveAgent, child: LiveAgent): Promise<AgentResult> {
  if (child.done === undefined) throw new Error('the child was never started');
  parent.activity.waitBegan();
  if (parent.activity.onlyWaits) await applySwitches(parent, 'mode');
  const detached = new Promise<AgentResult>((resolve) => {
    child.onDetach = () => resolve(launched(parent, child));
  });
  const cancel = detachAfterWhile(runtime, child);
  // It may have moved, or even ended, while it was being prepared; then a notice reports its result.
  const result = child.background ? launched(parent, child) : await Promise.race([child.done, detached]);
  cancel();
  parent.activity.waitEnded();
  await parent.retakeSlot(runtime.slots);
  return result;
}

/** Starts the timer with its first request: waiting for a slot is not included. */
function detachAfterWhile(runtime: Runtime, child: LiveAgent): () => void {
  const { autoBackgroundMs, backgroundAvailable } = runtime.settings;
  if (autoBackgroundMs <= 0 || !backgroundAvailable) return () => {};
  let cancel = () => {};
  const listener: Listener = () => {
    unlisten();
    cancel = runtime.host.clock.after(autoBackgroundMs, () => child.detach());
  };
  const unlisten = runtime.listeners.addFor(child.id, listener, ['request-sent']);
  return () => {
    unlisten();
    cancel();
  };
}

/** The result of a call whose child continues in the background. */
export function launched(parent: LiveAgent, { id, type, output, record }: LiveAgent): AgentResult {
  const worktree = worktreeFacts(record, parent.record);
  return {
    status: 'async_launched',
    agentId: id,
    agentType: type,
    outputFile: output.path,
    canReadOutputFile: parent.hasTool('Read', 'Bash'),
    ...(worktree === undefined ? {} : { worktree }),
  };
}

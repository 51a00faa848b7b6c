/** One budget for the whole tree: when a request of any agent is refused for it, the children that run are stopped. */

import { expectedInput } from '../../loop/expected-input.js';
import type { Listener } from '../../session/emit.js';
import { isAtWork, stop } from '../live-agent.js';
import type { Runtime } from '../runtime.js';

export function stopForBudget(runtime: Runtime): Listener {
  let stopping: Promise<void> | undefined;
  return ({ agent, event }) => {
    if (event.kind !== 'run-ended' || (event.reason !== 'max_usd' && event.reason !== 'max_tokens')) return;
    const whose = runtime.members.get(agent)?.agent;
    // A limit of its own is that child's matter alone.
    if (whose === undefined || !runtime.budget.refuses(whose.model, expectedInput(whose), whose.maxTokens)) return;
    if (stopping !== undefined) return;
    stopping = stopInOrder(runtime).finally(() => {
      if (stopping !== undefined) runtime.finishing.delete(stopping);
      stopping = undefined;
    });
    runtime.finishing.add(stopping);
  };
}

/** The youngest first, one after the other, so that what each had still reaches its parent. */
async function stopInOrder(runtime: Runtime): Promise<void> {
  const running = [...runtime.members.values()].filter((member) => member.parent !== undefined && isAtWork(member));
  for (const member of running.reverse()) {
    if (!isAtWork(member)) continue;
    stop(member, 'budget');
    await member.done;
  }
}

/** One budget for the whole tree: when a request of any agent is refused for it, the children that run are stopped. */

import { expectedInput } from '../../loop/expected-input.js';
import type { Watcher } from '../../session/emit.js';
import type { Crew } from '../runtime.js';
import { isAtWork, stop } from '../live-agent.js';

export function stopForBudget(crew: Crew): Watcher {
  let stopping: Promise<void> | undefined;
  return ({ agent, event }) => {
    if (event.kind !== 'run-ended' || (event.reason !== 'max_usd' && event.reason !== 'max_tokens')) return;
    const whose = crew.members.get(agent)?.agent;
    // A limit of its own is that child's matter alone.
    if (whose === undefined || !crew.budget.refuses(whose.model, expectedInput(whose), whose.maxTokens)) return;
    if (stopping !== undefined) return;
    stopping = stopInOrder(crew).finally(() => {
      if (stopping !== undefined) crew.settling.delete(stopping);
      stopping = undefined;
    });
    crew.settling.add(stopping);
  };
}

/** The youngest first, one after the other, so that what each had still reaches its parent. */
async function stopInOrder(crew: Crew): Promise<void> {
  const running = [...crew.members.values()].filter((member) => member.parent !== undefined && isAtWork(member));
  for (const member of running.reverse()) {
    if (!isAtWork(member)) continue;
    stop(member, 'budget');
    await member.done;
  }
}

/** Stops running children when the budget of the session refuses a request of any agent. */

import { requestOf } from '../../loop/epoch.js';
import { mostInput } from '../../loop/request-size.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';

/** Called when `agent` was refused a request. If only its own limit refused it, nothing else stops. */
export function stopForBudget(runtime: Runtime, agent: LiveAgent): void {
  const { model, maxTokens } = agent.epoch;
  if (!runtime.budget.refuses(model, mostInput(agent, requestOf(agent)), maxTokens) || runtime.budgetStop !== undefined)
    return;
  const stopping = stopInOrder(runtime).finally(() => {
    runtime.finishing.delete(stopping);
    runtime.budgetStop = undefined;
  });
  runtime.budgetStop = stopping;
  runtime.finishing.add(stopping);
}

/** Stops the youngest first, one at a time, so that each partial result reaches its parent. */
async function stopInOrder(runtime: Runtime): Promise<void> {
  const running = [...runtime.agents.values()].filter((agent) => !agent.isMain && agent.isActive);
  for (const agent of running.reverse()) {
    if (!agent.isActive) continue;
    agent.stop('budget');
    await agent.done;
  }
}

/** Runs agents in this process: opens their transcripts, builds them, and runs the loop for them. */

import { requestOf } from '../../loop/epoch.js';
import { mostInput } from '../../loop/request-facts.js';
import { runLoop } from '../../loop/run-loop.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { raiseFence, Transcript } from '../../session/transcript/transcript.js';
import { LiveAgent } from '../live-agent.js';
import type { AgentRunner, Runtime } from '../runtime.js';

export const localRunner: AgentRunner = {
  open: async (runtime, start) => {
    const { host, layout, listeners, fences } = runtime;
    const { agent } = start.record;
    const path = agent === MAIN_AGENT ? layout.file : layout.agentFile(agent);
    const log = await Transcript.open({
      host,
      path,
      ...(start.end === undefined ? {} : { end: start.end }),
      fence: raiseFence(fences, path),
      onSuspect: (line) =>
        listeners.notify({ agent, seq: undefined, event: { kind: 'line-shown', level: 'error', line } }),
    });
    const live = new LiveAgent(runtime, start, log);
    const { pace } = runtime.ports;
    if (pace !== undefined) live.inbox.holdBack = (input) => pace.beforeInput(agent, input);
    return live;
  },
  run: async (runtime, agent, signal) => {
    const end = await runLoop({ agent, ports: runtime.ports, signal });
    if (end.reason === 'max_usd' || end.reason === 'max_tokens') stopForBudget(runtime, agent);
    return end;
  },
};

/** Called when `agent` was refused a request. If only its own limit refused it, nothing else stops. */
function stopForBudget(runtime: Runtime, agent: LiveAgent): void {
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

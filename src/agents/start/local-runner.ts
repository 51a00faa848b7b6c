/** Runs agents in this process: opens their transcripts, builds them, and runs the loop for them. */

import { runLoop } from '../../loop/run-loop.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { raiseFence, Transcript } from '../../session/transcript/transcript.js';
import { LiveAgent } from '../live-agent.js';
import { stopForBudget } from '../run/stop-for-budget.js';
import type { AgentRunner } from '../runtime.js';

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

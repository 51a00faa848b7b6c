/** `take-over` and `hand-back`: the person talks to a child at work. It is on record, and the agent above is told. */

import type { LiveAgent } from '../../agents/live-agent.js';
import { HANDED_BACK, handedBackLine, takenOverLine } from '../../agents/run/take-over.text.js';
import type { Runtime } from '../../agents/runtime.js';
import { isHookAgent } from '../../protocol/agent-spawned.js';
import { text } from '../../protocol/blocks.js';
import { fail } from '../../protocol/result.js';
import type { Engine } from '../engine.js';
import type { Done } from './command-results.js';

export async function takeOver({ runtime }: Engine, id: string): Promise<Done> {
  const agent = runtime.agents.get(id);
  if (agent === undefined || agent.isMain || !agent.isActive || agent.inbox.isClosed) return notAtWork(id);
  if (isHookAgent(agent.record) || agent.record.aside) return fail('nobody can talk to an agent of its kind');
  if (agent.isTakenOver) return fail('it was taken over already');
  if (!agent.background && !runtime.settings.backgroundAvailable) {
    return fail('a call waits for it, and background work is switched off (COPPICE_DISABLE_BACKGROUND=1)');
  }
  const { run } = agent;
  agent.detach();
  const seq = await agent.emit({ kind: 'agent-taken-over', run });
  // It may have ended meanwhile.
  if (agent.run !== run || !agent.isTakenOver || agent.inbox.isClosed) return notAtWork(id);
  await tellAbove(runtime, agent, takenOverLine(agent.record), `taken over ${id} ${seq}`);
  return { ok: true };
}

export async function handBack({ runtime }: Engine, id: string): Promise<Done> {
  const agent = runtime.agents.get(id);
  if (agent === undefined || !agent.isActive) return notAtWork(id);
  const { run, state, inbox } = agent;
  const since = state.runs.get(run)?.takenOver;
  if (since === undefined) return fail('it was not taken over');
  const hasTalked = state.prompts.some(({ seq }) => seq > since);
  const isCutOff = agent.status === 'waiting' && state.runEnd?.reason !== 'completed';
  // Its last words are for the person, or there are none: its result is still to come.
  if (hasTalked || isCutOff) await inbox.admit({ origin: 'message', key: `handed back ${since}` }, [text(HANDED_BACK)]);
  const seq = await agent.emit({ kind: 'agent-handed-back', run });
  agent.onHandBack?.();
  await tellAbove(runtime, agent, handedBackLine(agent.record), `handed back ${id} ${seq}`);
  return { ok: true };
}

/** The nearest agent above that still listens. A reminder wakes nobody. */
async function tellAbove(runtime: Runtime, { parent }: LiveAgent, line: string, key: string): Promise<void> {
  for (let above = parent; above !== undefined; above = above.parent) {
    const listener = runtime.agents.get(above.id) ?? above;
    if (!listener.isMain && !listener.isActive) continue;
    if (await listener.inbox.admit({ origin: 'reminder', key }, [text(line)])) return;
  }
}

function notAtWork(id: string): Done {
  return fail(`there is no agent ${id} at work`);
}

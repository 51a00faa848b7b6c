/** `take-over` and `hand-back`: you talk to a running child. Both are recorded, and its parent is notified. */

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
  if (agent === undefined || agent.isMain || !agent.isActive || agent.inbox.isClosed) return notRunning(id);
  if (isHookAgent(agent.record) || agent.record.aside) return fail('this kind of agent takes no messages');
  if (agent.isTakenOver) return fail('you have already taken it over');
  if (!agent.background && !runtime.settings.backgroundAvailable) {
    return fail('a call waits for it, and background tasks are off (COPPICE_DISABLE_BACKGROUND=1)');
  }
  const { run } = agent;
  agent.detach();
  const seq = await agent.emit({ kind: 'agent-taken-over', run });
  // It may have ended meanwhile.
  if (agent.run !== run || !agent.isTakenOver || agent.inbox.isClosed) return notRunning(id);
  await notifyAncestor(runtime, agent, takenOverLine(agent.record), `taken over ${id} ${seq}`);
  return { ok: true };
}

export async function handBack({ runtime }: Engine, id: string): Promise<Done> {
  const agent = runtime.agents.get(id);
  if (agent === undefined || !agent.isActive) return notRunning(id);
  const { run, state, inbox } = agent;
  const since = state.runs.get(run)?.takenOver;
  if (since === undefined) return fail('you have not taken it over');
  const hasTalked = state.prompts.some(({ seq }) => seq > since);
  const isCutOff = agent.status === 'waiting' && state.runEnd?.reason !== 'completed';
  // Its last message is for you, or it has none: its result is still to come.
  if (hasTalked || isCutOff) await inbox.admit({ origin: 'message', key: `handed back ${since}` }, [text(HANDED_BACK)]);
  const seq = await agent.emit({ kind: 'agent-handed-back', run });
  agent.onHandBack?.();
  await notifyAncestor(runtime, agent, handedBackLine(agent.record), `handed back ${id} ${seq}`);
  return { ok: true };
}

/** Notifies the nearest ancestor that is still running. A reminder wakes no agent. */
async function notifyAncestor(runtime: Runtime, { parent }: LiveAgent, line: string, key: string): Promise<void> {
  for (let above = parent; above !== undefined; above = above.parent) {
    const listener = runtime.agents.get(above.id) ?? above;
    if (!listener.isMain && !listener.isActive) continue;
    if (await listener.inbox.admit({ origin: 'reminder', key }, [text(line)])) return;
  }
}

function notRunning(id: string): Done {
  return fail(`agent ${id} is not running`);
}

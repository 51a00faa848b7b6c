/** Builds the next user message: the results of open calls, then admitted input. */

import { text } from '../protocol/blocks.js';
import { callsIn, freezeBlock, toolNameOf } from '../protocol/frozen-block.js';
import { resultsByCall } from '../session/state/agent-state.js';
import type { Agent } from './agent.js';

/** Adds results in the order of their calls, then admitted input. `results`: only the results. */
export async function joinMessage(agent: Agent, what: 'all' | 'results' = 'all'): Promise<void> {
  const { state } = agent;
  const results = resultsByCall(state);
  // A fork's last message may have many calls, all of them its parent's.
  const from = results.size === 0 ? [] : openCalls(agent).flatMap((call) => results.get(call)?.seq ?? []);
  const join = async (inputs: readonly number[]) => {
    from.push(...inputs);
    if (from.length > 0) await agent.emit({ kind: 'message-joined', from });
  };
  await (what === 'all' ? agent.inbox.read(join) : join([]));
}

/**
 * Gives every open call of the last reply a result so that the conversation can continue, for example after a result
 * could not be saved. Earlier bytes stay unchanged, and the model learns that the call may have had effects.
 */
export async function closeOpenCalls(agent: Agent): Promise<void> {
  if (agent.inbox.closesCalls) return;
  const results = resultsByCall(agent.state);
  for (const call of openCalls(agent)) {
    if (results.has(call)) continue;
    const block = freezeBlock({
      type: 'tool_result',
      tool_use_id: call,
      content: [text('Interrupted: whether it ran, and what it did, is unknown. Look before you do it again.')],
      is_error: true,
    });
    const tool = toolOf(agent, call);
    await agent.emit({ kind: 'call-finished', call, tool, isError: true, effects: true, ms: 0, blocks: [block] });
  }
}

/** The calls of the last reply, if no message follows it. */
export function openCalls({ state: { history } }: Agent): string[] {
  const last = history.at(history.length - 1);
  return last?.role === 'assistant' ? callsIn([last]) : [];
}

function toolOf({ state: { history } }: Agent, call: string): string {
  const last = history.at(history.length - 1);
  const block = last?.blocks.find(
    (one) => one.type === 'tool_use' && callsIn([{ role: 'assistant', blocks: [one] }])[0] === call,
  );
  return block === undefined ? '' : toolNameOf(block);
}

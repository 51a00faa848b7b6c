/** Closes the open calls of a restored agent; an Agent call according to its child's transcript. */

import { text } from '../../protocol/blocks.js';
import { callsIn, type FrozenBlock, freezeBlock, isErrorResult } from '../../protocol/frozen-block.js';
import { neutralizeTags, restoreTags } from '../../protocol/tags.js';
import type { EndedOfCall, Repair } from '../../session/repair/repair-history.js';
import type { AgentLog } from '../../session/state/agent-log.js';
import { resultsByCall } from '../../session/state/agent-state.js';
import { endedAgentOf } from '../ended-agent.js';
import type { LiveAgent } from '../live-agent.js';
import { type AgentResult, describeWorktree, NO_TEXT, resultText } from '../run/result.js';
import type { Runtime } from '../runtime.js';
import { worktreeFacts } from '../worktrees/settle-worktree.js';

/** Processes of this agent's calls that outlived the process that started them. */
export function endedOf({ orphans }: Runtime, agent: string): EndedOfCall {
  return (callId) => orphans.filter(({ mark }) => mark.agent === agent && mark.call === callId);
}

/** The log of the child that this call of the parent started, or whose run it waits for. */
export function findChild(logs: Iterable<AgentLog>, parent: string, callId: string): AgentLog | undefined {
  for (const log of logs) {
    if (log.spawned.parent === parent && log.spawned.call === callId) return log;
    if (log.runs.at(-1)?.call === callId) return log;
  }
  return undefined;
}

/** The actual result if it ended, how to continue it if it was interrupted, or a note that it never started. */
export function closeByLog(log: AgentLog, callId: string): FrozenBlock {
  const { agent, spawned, result } = log;
  if (!log.begun) {
    return toolResult(
      callId,
      'Never started: the session ended before the agent had its task, and nothing was done. Call it again if it is still needed.',
      true,
    );
  }
  if (log.background && !log.unfinished) return launchedBlock(log, callId);
  const goOn = spawned.oneShot ? '' : `It can be continued: SendMessage with to: "${agent}".`;
  if (log.unfinished || result === undefined) {
    const body = `The agent ${agent} (${spawned.type}) was interrupted before it was done. ${goOn}`;
    return toolResult(callId, body.trim(), true);
  }
  const output = result.text.trim() === '' ? NO_TEXT : restoreTags(result.text);
  const tree = worktreeFacts(spawned, undefined, log.runs.at(-1)?.worktree);
  const trailer = [
    ...(tree === undefined ? [] : [describeWorktree(tree)]),
    ...(goOn === '' ? [] : [`agentId: ${agent} (to go on with it: SendMessage with to: "${agent}")`]),
  ];
  const more = trailer.length === 0 ? '' : `\n\n${trailer.join('\n')}`;
  if (result.status === 'completed') return toolResult(callId, `${output}${more}`, false);
  const reason = log.runs.at(-1)?.reason ?? log.status;
  return toolResult(callId, `The agent failed: ${reason}\n\nWhat it had said so far:\n${output}${more}`, true);
}

/** For a background child, whose notice was or will be delivered. */
export function launchedBlock({ agent, spawned }: Pick<AgentLog, 'agent' | 'spawned'>, callId: string): FrozenBlock {
  const body = `The agent ${agent} (${spawned.type}) was started in the background; a notice with its result reaches you when it ends.`;
  return toolResult(callId, body, false);
}

/** The result of a child for the call that waits for it. */
export function resultBlock(callId: string, result: AgentResult | undefined, log: AgentLog): FrozenBlock {
  if (result === undefined) return closeByLog({ ...log, background: false }, callId);
  const output = resultText(result, { oneShot: log.spawned.oneShot, canContinue: true });
  return toolResult(callId, output, result.status === 'failed');
}

function toolResult(callId: string, body: string, isError: boolean): FrozenBlock {
  return freezeBlock({
    type: 'tool_result',
    tool_use_id: callId,
    content: [text(neutralizeTags(body))],
    ...(isError ? { is_error: true } : {}),
  });
}

/** Applies a repair, each change as an event. Calls that wait for a child stay open for `closeWaited`. */
export async function repairAgent(agent: LiveAgent, { edits, closed }: Repair): Promise<void> {
  for (const edit of edits) await agent.emit(edit);
  for (const one of closed) if (one.kind === 'made') await agent.emit(one.event);
}

/** Closes open calls of the last reply by the outcome of their children, if the call itself could not be recorded. */
export async function closeChildCalls(runtime: Runtime, agent: LiveAgent): Promise<void> {
  const { history } = agent.state;
  const last = history.at(history.length - 1);
  if (last?.role !== 'assistant' || agent.inbox.closesCalls) return;
  const results = resultsByCall(agent.state);
  for (const call of callsIn([last])) {
    if (results.has(call)) continue;
    const block = blockOfChild(runtime, agent.id, call);
    if (block === undefined) continue;
    const isError = isErrorResult(block);
    await agent.emit({ kind: 'call-finished', call, tool: 'Agent', isError, effects: true, ms: 0, blocks: [block] });
  }
}

/** The block for the child of this call: one that has ended, is running, or has ended and is still reporting. */
export function blockOfChild(runtime: Runtime, parent: string, call: string): FrozenBlock | undefined {
  const ended = findChild(runtime.ended.values(), parent, call);
  if (ended !== undefined) return closeByLog(ended, call);
  const live = [...runtime.agents.values()].find(
    ({ record, waitedBy }) => (record.parent === parent && record.call === call) || waitedBy === call,
  );
  if (live === undefined) return undefined;
  if (live.background) return launchedBlock({ agent: live.id, spawned: live.record }, call);
  const ending = endedAgentOf(runtime.layout, live);
  return ending && closeByLog(ending, call);
}

/** Closes the calls that wait for children being resumed. `waited` returns the result of one. */
export async function closeWaited(
  agent: LiveAgent,
  { closed }: Repair,
  waited: (callId: string) => Promise<FrozenBlock>,
): Promise<void> {
  for (const one of closed) {
    // May be a retry after a failure.
    if (one.kind !== 'wait' || resultsByCall(agent.state).has(one.call)) continue;
    const { call, tool } = one;
    const block = await waited(call);
    const isError = isErrorResult(block);
    await agent.emit({ kind: 'call-finished', call, tool, isError, effects: true, ms: 0, blocks: [block] });
  }
}

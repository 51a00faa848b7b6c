/**
 * Restores an agent from its transcript, with its id, prompt, tools, model, limits, depth and history. Later changes
 * apply to new agents only, but its calls still pass the current gate.
 */

import type { Epoch } from '../../loop/agent.js';
import { dropForeignThinking } from '../../loop/epoch.js';
import { modelData } from '../../model/models.js';
import type { Prefix } from '../../model/prefix.js';
import { FORK_ORIGIN, FORK_TYPE } from '../../protocol/agent-spawned.js';
import { text } from '../../protocol/blocks.js';
import type { AgentSpawned } from '../../protocol/events.js';
import { type FrozenBlock, parseBlock } from '../../protocol/frozen-block.js';
import { type CloseAgentCall, type Repair, repairHistory } from '../../session/repair/repair-history.js';
import type { AgentLog } from '../../session/state/agent-log.js';
import { type AgentState, isFinal, lastingEpoch, openTasks } from '../../session/state/agent-state.js';
import { readPrefix } from '../../session/store/read-prefix.js';
import { toolLimits } from '../catalog/tool-limits.js';
import type { Revived } from '../ended-agent.js';
import { isForkRun } from '../fork/fork-guard.js';
import type { AgentStart, LiveAgent } from '../live-agent.js';
import { switchModelForTurn } from '../run/switch-model.js';
import type { Runtime } from '../runtime.js';
import { type RestoredServers, restoreServers } from '../servers/restore-servers.js';
import { childHooks } from '../start/agent-hooks.js';
import { makeEpoch, replyLimit } from '../start/make-epoch.js';
import { systemOf } from '../start/plan-named.js';
import { type ReopenedWorktree, reopenWorktree } from '../worktrees/reopen-worktree.js';
import { releaseWorktree } from '../worktrees/settle-worktree.js';
import { readAgent } from './read-agent.js';
import { blockOfChild, closeWaited, endedOf, repairAgent } from './restore-calls.js';
import { reportLostTasks } from './restore-notices.js';

/** Its own children, if they are resumed with it. */
export type Nested = {
  readonly close: CloseAgentCall;
  /** Called once the agent is registered, so that its children can start. */
  readonly begun: (agent: LiveAgent) => void;
  readonly waited: (callId: string) => Promise<FrozenBlock>;
};

export async function restoreAgent(
  runtime: Runtime,
  log: AgentLog,
  parent: LiveAgent,
  nested: Nested = restoredAlone(runtime, log),
): Promise<Revived> {
  if (!log.begun) return { ok: false, reason: 'it was never started: its task was not on disk yet' };
  const read = await readAgent(runtime, log);
  if (read.kind !== 'read') {
    const path = runtime.layout.agentFile(log.agent);
    return { ok: false, reason: read.kind === 'missing' ? `${path} is gone` : read.reason };
  }
  const { state, end, damage } = read;
  const notes = [...damage.told];
  const servers = await restoreServers(runtime, log.spawned);
  const epoch = await restoreEpoch(runtime, log, state, { parent, servers }, notes);
  if (epoch === undefined) {
    return { ok: false, reason: `agent ${log.agent}: its prompt and tools are not stored, and its definition is gone` };
  }
  const repair = repairHistory(state, nested.close, endedOf(runtime, log.agent));
  notes.push(...repair.repairs.map((line) => `agent ${log.agent}: ${line}`));
  const place = await reopenWorktree(runtime, completeRecord(runtime, log.spawned, state, parent), parent);
  if (!place.ok) return place;
  notes.push(...place.notes);
  const agent = await openAt(runtime, place, {
    parent,
    epoch,
    hooks: childHooks(runtime),
    state,
    end,
    servers: servers.own,
  });
  const last = log.runs.at(-1);
  const run = Math.max(last?.run ?? 1, runtime.noticeHolders.lastRun(log.agent));
  agent.recall(log.status, run, last?.by, log.background);
  runtime.ended.delete(log.agent);
  runtime.agents.set(log.agent, agent);
  try {
    await takeUp(runtime, log, agent, repair, nested);
    if (place.notice !== undefined) {
      const { key, words } = place.notice;
      await agent.inbox.admit({ origin: 'reminder', key }, [text(words)]);
    }
  } catch (error) {
    await leaveEnded(runtime, log, agent);
    throw error;
  }
  return { ok: true, agent, notes };
}

type FoundPlace = Extract<ReopenedWorktree, { ok: true }>;

async function openAt(
  runtime: Runtime,
  { host, record }: FoundPlace,
  start: Omit<AgentStart, 'host' | 'record'>,
): Promise<LiveAgent> {
  try {
    return await runtime.runner.open(runtime, { ...start, host, record });
  } catch (error) {
    if (record.worktree !== undefined) await runtime.worktrees.release(record.worktree, record.agent, 'keep');
    throw error;
  }
}

async function takeUp(
  runtime: Runtime,
  { spawned: { parent, call } }: AgentLog,
  agent: LiveAgent,
  repair: Repair,
  nested: Nested,
): Promise<void> {
  const { record: spawned } = agent;
  const { usage } = agent.state;
  await agent.emit({ kind: 'agent-resumed', agent: agent.id, parent, call, spawned, usage });
  await endReportedRun(runtime, agent);
  agent.lendSlot();
  nested.begun(agent);
  await withdrawPassedOn(runtime, agent);
  await repairAgent(agent, repair);
  await dropForeignThinking(agent);
  const { state, epoch } = agent;
  const own = switchModelForTurn(runtime, state.epoch?.model ?? epoch.model.id, epoch, state.history.view());
  if (own !== epoch) runtime.turns.runOn(agent, () => own);
  await closeWaited(agent, repair, nested.waited);
  await reportLostTasks(runtime, agent, openTasks(agent.state));
}

/**
 * Leaves an agent ended that could not be resumed, for example because nothing can be saved; it can be resumed later.
 */
export async function leaveEnded(runtime: Runtime, log: AgentLog, agent: LiveAgent): Promise<void> {
  agent.inbox.close();
  agent.fail();
  await releaseWorktree(runtime, agent);
  await agent.output.close();
  // Pending writes must land before anything else reads the transcript.
  await agent.log.release().catch(() => {});
  runtime.agents.delete(log.agent);
  runtime.ended.set(log.agent, log);
}

/** Restores it alone: its children stay as they are. */
function restoredAlone(runtime: Runtime, { agent }: AgentLog): Nested {
  return {
    close: (callId) => blockOfChild(runtime, agent, callId),
    begun: () => {},
    waited: async () => {
      throw new Error('a child that is waited for was not looked after');
    },
  };
}

/** Records of earlier versions lack some fields; the current definition fills them in. */
function completeRecord(runtime: Runtime, record: AgentSpawned, state: AgentState, parent: LiveAgent): AgentSpawned {
  if (isForkRun(record, state.history))
    return { ...record, origin: FORK_ORIGIN, ...limitsOf(parent.record.limits ?? record.limits) };
  const definition = runtime.catalog.find(record.type);
  if (definition === undefined) return record;
  const { spawns } = definition;
  return {
    ...(spawns === undefined ? {} : { spawns }),
    limits: toolLimits(definition),
    ...record,
  };
}

function limitsOf(limits: AgentSpawned['limits']) {
  return limits === undefined ? {} : { limits };
}

/**
 * A run whose notice was sent has ended, even if its end could not be saved: record that now and start another run,
 * whose notice would otherwise pass for a repetition.
 */
async function endReportedRun(runtime: Runtime, agent: LiveAgent): Promise<void> {
  const { run, state } = agent;
  const known = state.runs.get(run);
  const isReported = known?.notice !== undefined || runtime.noticeHolders.lastRun(agent.id) === run;
  if (!isReported || (known !== undefined && isFinal(known.status))) return;
  await agent.emit({ kind: 'agent-state-changed', state: 'failed', run, reason: 'its end could not be saved' });
  agent.fail();
}

/** Withdraws notices that were since passed on to another agent. */
async function withdrawPassedOn(runtime: Runtime, agent: LiveAgent): Promise<void> {
  const inputs = agent.inbox
    .notices()
    .filter(({ notice }) => notice !== undefined && (runtime.noticeHolders.of(notice) ?? agent.id) !== agent.id)
    .map(({ seq }) => seq);
  if (inputs.length > 0) await agent.emit({ kind: 'input-withdrawn', inputs });
}

/**
 * Where the interrupted run stopped. `over`: its final text, if only the end of the run is missing. `needsWord`: its
 * last reply was cut off or paused, so it needs input before the next request.
 */
export function resumeStatus({ state, inbox }: LiveAgent): { over: string | undefined; needsWord: boolean } {
  const runs = [...state.runs.values()].sort((a, b) => a.run - b.run);
  const made = runs.at(-1)?.result;
  const last = state.history.at(state.history.length - 1);
  const isReply = last?.role === 'assistant' && state.results.size === 0 && !inbox.asks;
  if (!isReply) return { over: undefined, needsWord: false };
  if (made?.status === 'completed') return { over: made.text, needsWord: false };
  const isDone = state.lastStop === 'end_turn' || state.lastStop === 'stop_sequence';
  const content = last.blocks.map(parseBlock).flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return isDone ? { over: content.join(''), needsWord: false } : { over: undefined, needsWord: true };
}

/** The stored prompt and tools, verified by hash; otherwise rebuilt. Undefined if neither is possible. */
async function restoreEpoch(
  runtime: Runtime,
  log: AgentLog,
  state: AgentState,
  { parent, servers }: { readonly parent: LiveAgent; readonly servers: RestoredServers },
  messages: string[],
): Promise<Epoch | undefined> {
  const { spawned } = log;
  // A fork shares its parent's bytes, including those of a turn, unless it had fallen back to another model.
  const isShared = spawned.type === FORK_TYPE && state.epoch?.model === spawned.model;
  const recorded = isShared ? state.epoch : lastingEpoch(state);
  if (recorded !== undefined) {
    const stored = await readPrefix(runtime.host, runtime.layout, recorded.prefix);
    if (stored.ok) {
      const prefix = runtime.ports.model.loadPrefix(stored.bytes);
      messages.push(...describeChange(runtime, log, prefix));
      const tools = servers.toolsFor(prefix.tools);
      return { model: modelData(prefix.model, runtime.models), tools, maxTokens: recorded.maxTokens, prefix };
    }
    messages.push(`agent ${log.agent}: ${stored.reason}; its prompt is rebuilt and the cache will miss`);
  }
  if (spawned.type === FORK_TYPE) return parent.epoch;
  const definition = runtime.catalog.find(spawned.type);
  if (definition === undefined) return undefined;
  return makeEpoch(runtime, {
    model: spawned.model,
    thinks: spawned.thinks ?? (definition.effort !== undefined || runtime.settings.childrenThink),
    effort: spawned.effort ?? definition.effort,
    maxTokens: recorded?.maxTokens ?? replyLimit(runtime, spawned.model, runtime.budget),
    tools: servers.toolsFor(undefined),
    system: systemOf(definition),
  });
}

/** Informs the user that the definition has changed and that this agent continues with the old one. */
function describeChange({ catalog }: Runtime, { agent, spawned }: AgentLog, prefix: Prefix): string[] {
  if (spawned.type === FORK_TYPE) return [];
  const definition = catalog.find(spawned.type);
  const stored = 'it goes on with the prompt and tools it had';
  if (definition === undefined) return [`agent ${agent}: its definition ${spawned.type} is gone; ${stored}`];
  // Its memory section follows its prompt (ME-9).
  const own = spawned.memory === undefined ? prefix.system : prefix.system.slice(0, -1);
  const isSame = systemOf(definition).join('') === own.join('');
  return isSame ? [] : [`agent ${agent}: its definition ${spawned.type} has changed; ${stored}`];
}

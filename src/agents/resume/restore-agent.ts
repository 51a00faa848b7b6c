/**
 * Brings an agent back from its transcript: same id, prompt, tools, model, limits, depth and history. What has changed
 * since counts for new agents; each of its calls passes today's gate all the same.
 */

import { newAbort } from '../../host/new-abort.js';
import { Budget } from '../../loop/budget.js';
import { costOf, modelData } from '../../model/models.js';
import { loadPrefix, type Prefix } from '../../model/prefix.js';
import { decode, type FrozenBlock, type FrozenMessage, parseBlock } from '../../protocol/frozen-block.js';
import type { Admitted } from '../../session/inbox.js';
import type { AgentLog } from '../../session/state/agent-log.js';
import { createForkResolver } from '../../session/state/resolve-fork.js';
import { restoreTranscript } from '../../session/state/restore-transcript.js';
import type { AgentSpawned, Restored } from '../../session/state/restored.js';
import { readPrefix } from '../../session/store/read-prefix.js';
import { repairTail } from '../../session/transcript/read-transcript.js';
import { FORK_TYPE } from '../catalog/agent-type.js';
import { toolLimits } from '../catalog/tool-limits.js';
import { looksForked } from '../fork/fork-guard.js';
import { lendSlot, type Member } from '../live-agent.js';
import { OutputLog } from '../run/output-log.js';
import type { Runtime } from '../runtime.js';
import { createAgent, replyLimit } from '../start/create-agent.js';
import { childHooks } from '../start/spawn.js';
import { rebuildPrefix, rebuiltSystem } from './rebuild-prefix.js';
import { closeByLog, findChild } from './restore-calls.js';
import { tellLostTasks } from './restore-notices.js';
import { applyRepair, type CloseAgentCall, restoreState } from './restore-state.js';

export type RestoredMember =
  | {
      readonly ok: true;
      readonly member: Member;
      readonly told: readonly string[];
      /** What it said last, when that was all: nothing is left to do but to put its end on record. */
      readonly over: string | undefined;
      /** Its last reply was cut off or paused: nothing can be sent before something was said to it. */
      readonly needsWord: boolean;
    }
  | { readonly ok: false; readonly reason: string };

/** Its own children, when they are resumed with it. */
export type Nested = {
  readonly settle: CloseAgentCall;
  /** It has its place in the tree: its children can be started. */
  readonly begun: (member: Member) => void;
  readonly waited: (callId: string) => Promise<FrozenBlock>;
};

export async function restoreMember(
  runtime: Runtime,
  log: AgentLog,
  parent: Member,
  nested: Nested = leftAlone(runtime, log),
): Promise<RestoredMember> {
  if (!log.begun) return { ok: false, reason: 'it was never started: its task was not on disk yet' };
  const told: string[] = [];
  const path = runtime.layout.agentFile(log.agent);
  const tail = await repairTail(runtime.host, path);
  if (!tail.ok) return { ok: false, reason: `${path}: ${tail.reason}` };
  const inherited =
    log.spawned.fork === undefined
      ? { ok: true as const, messages: undefined }
      : await resolver(runtime)(log.spawned.fork);
  if (!inherited.ok) return inherited;
  const read = await restoreTranscript(runtime.host.files, path, withInherited(inherited.messages));
  if (read.kind !== 'restored') return { ok: false, reason: read.kind === 'missing' ? `${path} is gone` : read.reason };
  told.push(...read.damage.told);
  const { restored } = read;
  const prefix = await findPrefix(runtime, log, restored, parent, told);
  if (prefix === undefined) {
    return { ok: false, reason: `agent ${log.agent}: its prompt and tools are not stored, and its definition is gone` };
  }
  told.push(...tellDefinition(runtime, log, prefix));
  const state = restoreState(restored, prefix, nested.settle);
  told.push(...state.repair.repairs.map((line) => `agent ${log.agent}: ${line}`));
  const member = await buildMember(runtime, log, parent, state, restored, told);
  runtime.ended.delete(log.agent);
  runtime.members.set(log.agent, member);
  const { parent: under, call } = log.spawned;
  await member.agent.emit({ kind: 'agent-resumed', agent: log.agent, parent: under, call });
  lendSlot(member);
  nested.begun(member);
  await applyRepair(member.agent, state.repair, nested.waited);
  await tellLostTasks(member, restored.openTasks);
  return { ok: true, member, told, ...whereItStands(restored, member) };
}

/** Brought back alone: its children stay as they are. */
function leftAlone(runtime: Runtime, { agent }: AgentLog): Nested {
  return {
    settle: (callId) => {
      const child = findChild(runtime.ended.values(), agent, callId);
      return child && closeByLog(child, callId);
    },
    begun: () => {},
    waited: async () => {
      throw new Error('a child that is waited for was not looked after');
    },
  };
}

/** What has changed since counts for new agents of its kind; this one goes on with what it was told. */
function tellDefinition(runtime: Runtime, { agent, spawned }: AgentLog, prefix: Prefix): string[] {
  if (spawned.type === FORK_TYPE) return [];
  const definition = runtime.catalog.find(spawned.type);
  const stored = 'it goes on with the prompt and tools it had';
  if (definition === undefined) return [`agent ${agent}: its definition ${spawned.type} is gone; ${stored}`];
  const today = rebuiltSystem(definition);
  const then = prefix.system.map((block) => decode(block.bytes)).join('');
  return today === then ? [] : [`agent ${agent}: its definition ${spawned.type} has changed; ${stored}`];
}

/** The run the process died in: over but for its end, or with a reply that asks to be gone on with. */
function whereItStands(restored: Restored, { agent }: Member): { over: string | undefined; needsWord: boolean } {
  const made = restored.runs.at(-1)?.result;
  const last = restored.history.at(-1);
  const said = last?.role === 'assistant' && agent.settledCalls.length === 0 && !agent.inbox.asks;
  if (!said) return { over: undefined, needsWord: false };
  if (made?.status === 'completed') return { over: made.text, needsWord: false };
  const isDone = restored.lastStop === 'end_turn' || restored.lastStop === 'stop_sequence';
  const words = last.blocks.map(parseBlock).flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return isDone ? { over: words.join(''), needsWord: false } : { over: undefined, needsWord: true };
}

function withInherited(messages: readonly FrozenMessage[] | undefined) {
  return messages === undefined ? {} : { inherited: messages };
}

/** Siblings share what they forked from: it is read once. */
function resolver(runtime: Runtime) {
  const known = resolvers.get(runtime);
  if (known !== undefined) return known;
  const made = createForkResolver((session, agent, options) => {
    const layout = session === runtime.session ? runtime.layout : runtime.layoutOf(session);
    return restoreTranscript(runtime.host.files, agent === 'main' ? layout.file : layout.agentFile(agent), options);
  });
  resolvers.set(runtime, made);
  return made;
}

const resolvers = new WeakMap<Runtime, ReturnType<typeof createForkResolver>>();

/** The stored bytes, verified; only without them from today's state, which costs the cache. */
async function findPrefix(
  runtime: Runtime,
  log: AgentLog,
  restored: Restored,
  parent: Member,
  told: string[],
): Promise<Prefix | undefined> {
  const hash = restored.epoch?.prefix;
  if (hash !== undefined) {
    const stored = await readPrefix(runtime.host, runtime.layout, hash);
    if (stored.ok) return loadPrefix(stored.bytes);
    told.push(`agent ${log.agent}: ${stored.reason}; its prompt is rebuilt and the cache will miss`);
  }
  return rebuildPrefix(runtime, log.spawned, parent);
}

async function buildMember(
  runtime: Runtime,
  log: AgentLog,
  parent: Member,
  state: ReturnType<typeof restoreState>,
  restored: Restored,
  told: string[],
): Promise<Member> {
  const { spawned } = log;
  const isFork = spawned.type === FORK_TYPE || looksForked(restored.history);
  const budget = budgetOf(runtime, spawned, restored, state.conversation.prefix.model);
  const permission = permissionOf(runtime, spawned, isFork, parent);
  const host = await findFolder(runtime, spawned.cwd, log.agent, told);
  const names = new Set(spawned.tools);
  // What was passed on since is not read again here.
  const isStillHere = ({ notice }: Admitted) => notice === undefined || !runtime.notices.isElsewhere(log.agent, notice);
  const { agent, transcript } = await createAgent(runtime, {
    id: log.agent,
    type: spawned.type,
    depth: spawned.depth,
    maxTurns: spawned.maxTurns,
    conversation: state.conversation,
    tools: runtime.tools.filter((tool) => names.has(tool.name)),
    permission,
    hooks: childHooks(runtime, log.agent, spawned.type, () => permission.mode, runtime.catalog.find(spawned.type)),
    host,
    roots: parent.agent.roots,
    budget,
    maxTokens: restored.epoch?.maxTokens ?? replyLimit(runtime, state.conversation.prefix.model, budget),
    callIds: new Set(restored.callIds),
    transcript: runtime.layout.agentFile(log.agent),
    resumed: { ...state.resumed, pending: state.resumed.pending.filter(isStillHere) },
  });
  const last = log.runs.at(-1);
  return {
    agent,
    transcript,
    parent,
    spawned,
    call: spawned.call,
    description: spawned.description,
    name: spawned.name,
    isFork,
    oneShot: spawned.oneShot,
    spawns: runtime.catalog.find(spawned.type)?.spawns,
    abort: newAbort(),
    startedAt: runtime.host.clock.elapsed(),
    output: new OutputLog(runtime.host, runtime.layout.taskOutput(log.agent)),
    background: log.background,
    onDetach: undefined,
    unfollow: () => {},
    state: log.state,
    run: last?.run ?? 1,
    stoppedBy: last?.by,
    slot: undefined,
    done: undefined,
    result: undefined,
    knows: new Map(),
  };
}

/** What it has spent counts. */
function budgetOf(runtime: Runtime, { maxUsd }: AgentLog['spawned'], { usage }: Restored, model: string): Budget {
  if (maxUsd === undefined) return runtime.budget;
  const spent = costOf(usage, modelData(model, runtime.models)) ?? 0;
  return new Budget({ maxUsd: Math.max(0, maxUsd - spent) }, runtime.budget);
}

function permissionOf(runtime: Runtime, { type, mode, readOnly }: AgentSpawned, isFork: boolean, parent: Member) {
  const today = mode === 'bypassPermissions' ? 'default' : mode;
  const definition = runtime.catalog.find(type);
  if (!isFork) return { mode: today, readOnly, ...(definition ? { limits: toolLimits(definition) } : {}) };
  return {
    get mode() {
      return parent.agent.permission.mode;
    },
    set mode(_) {},
    readOnly,
    ...(parent.agent.permission.limits ? { limits: parent.agent.permission.limits } : {}),
  };
}

async function findFolder(runtime: Runtime, cwd: string, agent: string, told: string[]) {
  if (cwd === runtime.host.folder) return runtime.host;
  const found = await runtime.host.files.stat(cwd).catch(() => undefined);
  if (found?.kind === 'folder') return runtime.host.at(cwd);
  told.push(`agent ${agent}: its folder ${cwd} is gone; it goes on in ${runtime.host.folder}`);
  return runtime.host;
}

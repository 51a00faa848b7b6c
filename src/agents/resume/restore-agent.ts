/**
 * Brings an agent back from its transcript: same id, prompt, tools, model, limits, depth and history. What has changed
 * since counts for new agents; each of its calls passes today's gate all the same.
 */

import { newAbort } from '../../host/new-abort.js';
import { Budget } from '../../loop/budget.js';
import { costOf, modelData } from '../../model/models.js';
import { loadPrefix, type Prefix } from '../../model/prefix.js';
import { decode, type FrozenBlock, type FrozenMessage, parseBlock } from '../../protocol/frozen-block.js';
import type { AgentLog } from '../../session/state/agent-log.js';
import type { Admitted } from '../../session/inbox.js';
import { readPrefix } from '../../session/store/read-prefix.js';
import { repairTail } from '../../session/transcript/read-transcript.js';
import { createForkResolver } from '../../session/state/resolve-fork.js';
import { restoreTranscript } from '../../session/state/restore-transcript.js';
import type { AgentSpawned, Restored } from '../../session/state/restored.js';
import { FORK_TYPE } from '../catalog/agent-type.js';
import { createAgent, replyLimit } from '../start/create-agent.js';
import type { Crew } from '../runtime.js';
import { looksForked } from '../fork/fork-guard.js';
import { lendPlace, type Member } from '../live-agent.js';
import { OutputLog } from '../run/output-log.js';
import { rebuildPrefix, rebuiltSystem } from './rebuild-prefix.js';
import { findChild, settleByLog } from './restore-calls.js';
import { tellLostTasks } from './restore-notices.js';
import { applyRepair, restoreState, type SettleAgentCall } from './restore-state.js';
import { childHooks } from '../start/spawn.js';
import { toolLimits } from '../catalog/tool-limits.js';

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
  | { readonly ok: false; readonly line: string };

/** Its own children, when they are resumed with it. */
export type Nested = {
  readonly settle: SettleAgentCall;
  /** It has its place in the tree: its children can be started. */
  readonly begun: (member: Member) => void;
  readonly waited: (callId: string) => Promise<FrozenBlock>;
};

export async function restoreMember(
  crew: Crew,
  log: AgentLog,
  parent: Member,
  nested: Nested = leftAlone(crew, log),
): Promise<RestoredMember> {
  if (!log.begun) return { ok: false, line: 'it was never started: its task was not on disk yet' };
  const told: string[] = [];
  const path = crew.places.agentFile(log.agent);
  const tail = await repairTail(crew.host, path);
  if (!tail.ok) return { ok: false, line: `${path}: ${tail.why}` };
  const inherited =
    log.spawned.fork === undefined
      ? { ok: true as const, messages: undefined }
      : await resolver(crew)(log.spawned.fork);
  if (!inherited.ok) return inherited;
  const read = await restoreTranscript(crew.host.files, path, withInherited(inherited.messages));
  if (read.kind !== 'restored') return { ok: false, line: read.kind === 'missing' ? `${path} is gone` : read.line };
  told.push(...read.damage.told);
  const { restored } = read;
  const prefix = await findPrefix(crew, log, restored, parent, told);
  if (prefix === undefined) {
    return { ok: false, line: `agent ${log.agent}: its prompt and tools are not stored, and its definition is gone` };
  }
  told.push(...tellDefinition(crew, log, prefix));
  const state = restoreState(restored, prefix, nested.settle);
  told.push(...state.repair.repairs.map((line) => `agent ${log.agent}: ${line}`));
  const member = await buildMember(crew, log, parent, state, restored, told);
  crew.resting.delete(log.agent);
  crew.members.set(log.agent, member);
  const { parent: under, call } = log.spawned;
  await member.agent.emit({ kind: 'agent-resumed', agent: log.agent, parent: under, call });
  lendPlace(member);
  nested.begun(member);
  await applyRepair(member.agent, state.repair, nested.waited);
  await tellLostTasks(member, restored.openTasks);
  return { ok: true, member, told, ...whereItStands(restored, member) };
}

/** Brought back alone: its children stay as they are. */
function leftAlone(crew: Crew, { agent }: AgentLog): Nested {
  return {
    settle: (callId) => {
      const child = findChild(crew.resting.values(), agent, callId);
      return child && settleByLog(child, callId);
    },
    begun: () => {},
    waited: async () => {
      throw new Error('a child that is waited for was not looked after');
    },
  };
}

/** What has changed since counts for new agents of its kind; this one goes on with what it was told. */
function tellDefinition(crew: Crew, { agent, spawned }: AgentLog, prefix: Prefix): string[] {
  if (spawned.type === FORK_TYPE) return [];
  const definition = crew.catalog.find(spawned.type);
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
function resolver(crew: Crew) {
  const known = resolvers.get(crew);
  if (known !== undefined) return known;
  const made = createForkResolver((session, agent, options) => {
    const places = session === crew.session ? crew.places : crew.placesOf(session);
    return restoreTranscript(crew.host.files, agent === 'main' ? places.file : places.agentFile(agent), options);
  });
  resolvers.set(crew, made);
  return made;
}

const resolvers = new WeakMap<Crew, ReturnType<typeof createForkResolver>>();

/** The stored bytes, verified; only without them from today's state, which costs the cache. */
async function findPrefix(
  crew: Crew,
  log: AgentLog,
  restored: Restored,
  parent: Member,
  told: string[],
): Promise<Prefix | undefined> {
  const hash = restored.epoch?.prefix;
  if (hash !== undefined) {
    const stored = await readPrefix(crew.host, crew.places, hash);
    if (stored.ok) return loadPrefix(stored.bytes);
    told.push(`agent ${log.agent}: ${stored.line}; its prompt is rebuilt and the cache will miss`);
  }
  return rebuildPrefix(crew, log.spawned, parent);
}

async function buildMember(
  crew: Crew,
  log: AgentLog,
  parent: Member,
  state: ReturnType<typeof restoreState>,
  restored: Restored,
  told: string[],
): Promise<Member> {
  const { spawned } = log;
  const isFork = spawned.type === FORK_TYPE || looksForked(restored.history);
  const budget = budgetOf(crew, spawned, restored, state.conversation.prefix.model);
  const permission = permissionOf(crew, spawned, isFork, parent);
  const host = await findFolder(crew, spawned.cwd, log.agent, told);
  const names = new Set(spawned.tools);
  // What was passed on since is not read again here.
  const isStillHere = ({ notice }: Admitted) => notice === undefined || !crew.notices.isElsewhere(log.agent, notice);
  const { agent, transcript } = await createAgent(crew, {
    id: log.agent,
    type: spawned.type,
    depth: spawned.depth,
    maxTurns: spawned.maxTurns,
    conversation: state.conversation,
    tools: crew.tools.filter((tool) => names.has(tool.name)),
    permission,
    hooks: childHooks(crew, log.agent, spawned.type, () => permission.mode, crew.catalog.find(spawned.type)),
    host,
    roots: parent.agent.roots,
    budget,
    maxTokens: restored.epoch?.maxTokens ?? replyLimit(crew, state.conversation.prefix.model, budget),
    callIds: new Set(restored.callIds),
    transcript: crew.places.agentFile(log.agent),
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
    spawns: crew.catalog.find(spawned.type)?.spawns,
    abort: newAbort(),
    startedAt: crew.host.clock.elapsed(),
    output: new OutputLog(crew.host, crew.places.taskOutput(log.agent)),
    background: log.background,
    onDetach: undefined,
    unfollow: () => {},
    state: log.state,
    run: last?.run ?? 1,
    stoppedBy: last?.by,
    place: undefined,
    done: undefined,
    result: undefined,
    knows: new Map(),
  };
}

/** What it has spent counts. */
function budgetOf(crew: Crew, { maxUsd }: AgentLog['spawned'], { usage }: Restored, model: string): Budget {
  if (maxUsd === undefined) return crew.budget;
  const spent = costOf(usage, modelData(model, crew.models)) ?? 0;
  return new Budget({ maxUsd: Math.max(0, maxUsd - spent) }, crew.budget);
}

function permissionOf(crew: Crew, { type, mode, readOnly }: AgentSpawned, isFork: boolean, parent: Member) {
  const today = mode === 'bypassPermissions' ? 'default' : mode;
  const definition = crew.catalog.find(type);
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

async function findFolder(crew: Crew, cwd: string, agent: string, told: string[]) {
  if (cwd === crew.host.folder) return crew.host;
  const found = await crew.host.files.stat(cwd).catch(() => undefined);
  if (found?.kind === 'folder') return crew.host.at(cwd);
  told.push(`agent ${agent}: its folder ${cwd} is gone; it goes on in ${crew.host.folder}`);
  return crew.host;
}

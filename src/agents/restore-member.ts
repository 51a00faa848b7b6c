/**
 * Brings an agent back from its transcript: same id, prompt, tools, model, limits, depth and history. What has changed
 * since counts for new agents; each of its calls passes today's gate all the same.
 */

import { newAbort } from '../host/new-abort.js';
import { Budget } from '../loop/budget.js';
import { loadPrefix, type Prefix } from '../model/prefix.js';
import type { FrozenMessage } from '../protocol/frozen-block.js';
import type { PermissionMode } from '../protocol/permission.js';
import type { AgentLog } from '../session/agent-log.js';
import { readPrefix } from '../session/read-prefix.js';
import { repairTail } from '../session/read-transcript.js';
import { createForkResolver } from '../session/resolve-fork.js';
import { restoreTranscript } from '../session/restore-transcript.js';
import type { Restored } from '../session/restored.js';
import { FORK_TYPE } from './agent-type.js';
import { createAgent, replyLimit } from './create-agent.js';
import type { Crew } from './crew.js';
import { looksForked } from './fork-guard.js';
import { lendPlace, type Member } from './member.js';
import { OutputLog } from './output-log.js';
import { rebuildPrefix } from './rebuild-prefix.js';
import { applyRepair, restoreState, type SettleAgentCall } from './restore-state.js';
import { childHooks } from './spawn.js';

export type RestoredMember =
  | { readonly ok: true; readonly member: Member; readonly told: readonly string[] }
  | { readonly ok: false; readonly line: string };

export async function restoreMember(
  crew: Crew,
  log: AgentLog,
  parent: Member,
  settleAgentCall: SettleAgentCall = () => undefined,
): Promise<RestoredMember> {
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
  const state = restoreState(restored, prefix, settleAgentCall);
  told.push(...state.repair.repairs.map((line) => `agent ${log.agent}: ${line}`));
  const member = await buildMember(crew, log, parent, state, restored, told);
  await applyRepair(member.agent, state.repair, async () => {
    throw new Error('a child that is waited for was not looked after');
  });
  crew.members.set(log.agent, member);
  lendPlace(member);
  return { ok: true, member, told };
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
  const budget = spawned.maxUsd === undefined ? crew.budget : new Budget({ maxUsd: spawned.maxUsd }, crew.budget);
  const permission = permissionOf(spawned.mode, spawned.readOnly, isFork, parent);
  const host = await findFolder(crew, spawned.cwd, log.agent, told);
  const names = new Set(spawned.tools);
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
    resumed: state.resumed,
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
    background: spawned.background,
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

function permissionOf(mode: PermissionMode, readOnly: boolean, isFork: boolean, parent: Member) {
  const today = mode === 'bypassPermissions' ? 'default' : mode;
  if (!isFork) return { mode: today, readOnly };
  return {
    get mode() {
      return parent.agent.permission.mode;
    },
    set mode(_) {},
    readOnly,
  };
}

async function findFolder(crew: Crew, cwd: string, agent: string, told: string[]) {
  if (cwd === crew.host.folder) return crew.host;
  const found = await crew.host.files.stat(cwd).catch(() => undefined);
  if (found?.kind === 'folder') return crew.host.at(cwd);
  told.push(`agent ${agent}: its folder ${cwd} is gone; it goes on in ${crew.host.folder}`);
  return crew.host;
}

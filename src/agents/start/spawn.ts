/** Starts a child and sees it through: place, agent, run, result. Named children and forks differ only in what they start with. */

import { randomUUID } from 'node:crypto';
import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import { reminder } from '../../context/reminder.js';
import { agreeOnEdits } from '../../gate/ask/agree-edits.js';
import { childMode, needsAgreement } from '../../gate/ask/child-mode.js';
import { newAbort } from '../../host/new-abort.js';
import { Budget } from '../../loop/budget.js';
import { showHooks } from '../../loop/show-hooks.js';
import { Conversation } from '../../model/conversation.js';
import { text } from '../../protocol/blocks.js';
import type { ForkReference } from '../../protocol/events.js';
import type { AgentSpawned } from '../../session/state/restored.js';
import { FORK_TYPE } from '../catalog/agent-type.js';
import { isReadOnlyType } from '../catalog/built-in.js';
import { chooseModel } from '../catalog/choose-model.js';
import { toolLimits } from '../catalog/tool-limits.js';
import { assemblePool } from '../catalog/tool-pool.js';
import type { ExpectedStart } from '../fork/cold-start.js';
import { type ForkPoint, forkCallIds, forkConversation } from '../fork/fork.js';
import { forkDirective } from '../fork/fork-directive.text.js';
import { FORK_ORIGIN } from '../fork/fork-guard.js';
import { lendSlot, type Member } from '../live-agent.js';
import { OutputLog } from '../run/output-log.js';
import { runChild } from '../run/run-child.js';
import type { Runtime } from '../runtime.js';
import { type AgentSpec, createAgent, prefixFor, replyLimit } from './create-agent.js';

export type SpawnRequest = {
  readonly parent: Member;
  /** The call that starts it. */
  readonly call: string;
  readonly prompt: string;
  readonly description: string;
  readonly name: string | undefined;
  readonly model: string | undefined;
  readonly maxTurns: number | undefined;
  readonly maxUsd: number | undefined;
  readonly cwd: string | undefined;
  /** Ends it together with the call that waits for it. */
  readonly signal: AbortSignal;
  /** Nobody waits for it. */
  readonly background: boolean;
  readonly kind: { readonly fork: ForkPoint } | { readonly definition: AgentDefinition };
};

export type Spawned =
  | { readonly ok: true; readonly member: Member }
  /** Nothing was started, and why, for the model. */
  | { readonly ok: false; readonly reason: string };

export async function spawn(runtime: Runtime, request: SpawnRequest): Promise<Spawned> {
  const announced = runtime.slots.announce();
  if (announced === undefined) {
    const reason = `Nothing was started: ${runtime.slots.queued} agents wait already. Wait for some of them to end.`;
    return { ok: false, reason };
  }
  try {
    return await start(runtime, request, announced.number);
  } finally {
    announced.release();
  }
}

async function start(runtime: Runtime, request: SpawnRequest, number: number): Promise<Spawned> {
  const plan =
    'fork' in request.kind
      ? planFork(runtime, request, request.kind.fork)
      : await planNamed(runtime, request, request.kind.definition);
  if (!plan.ok) return plan;
  const { spec } = plan;
  const refused = spec.budget.refuses(request.parent.agent.model, 0, spec.maxTokens);
  if (refused !== undefined)
    return { ok: false, reason: `No agent was started: the session's budget is used up (${refused}).` };

  const { agent, transcript } = await createAgent(runtime, spec);
  const spawned: AgentSpawned = {
    kind: 'agent-spawned',
    agent: agent.id,
    type: agent.type,
    ...(request.name === undefined ? {} : { name: request.name }),
    description: request.description,
    parent: request.parent.agent.id,
    call: request.call,
    depth: agent.depth,
    origin: plan.origin,
    model: agent.model.id,
    mode: agent.permission.mode,
    readOnly: agent.permission.readOnly,
    background: request.background,
    oneShot: plan.oneShot,
    maxTurns: agent.maxTurns,
    ...(request.maxUsd === undefined ? {} : { maxUsd: request.maxUsd }),
    cwd: agent.host.folder,
    tools: agent.tools.map((tool) => tool.name),
    ...(plan.fork ? { fork: plan.fork } : {}),
  };
  const member: Member = {
    agent,
    transcript,
    parent: request.parent,
    spawned,
    call: request.call,
    description: request.description,
    name: request.name,
    isFork: plan.isFork,
    oneShot: plan.oneShot,
    spawns: plan.spawns,
    abort: newAbort(),
    startedAt: runtime.host.clock.elapsed(),
    output: new OutputLog(runtime.host, runtime.layout.taskOutput(agent.id)),
    background: request.background,
    onDetach: undefined,
    unfollow: () => {},
    state: 'queued',
    run: 1,
    stoppedBy: undefined,
    slot: undefined,
    done: undefined,
    result: undefined,
    knows: new Map(),
  };
  runtime.members.set(agent.id, member);
  lendSlot(member);
  if (request.background) member.output.openFile();
  else member.unfollow = follow(request.signal, member.abort);
  await agent.emit(spawned);
  await plan.open(member);
  member.done = runChild(runtime, member, { beforeFirst: plan.beforeFirst, number });
  return { ok: true, member };
}

type Plan =
  | {
      readonly ok: true;
      readonly spec: AgentSpec;
      readonly origin: string;
      readonly isFork: boolean;
      readonly oneShot: boolean;
      readonly spawns: readonly string[] | undefined;
      readonly fork?: ForkReference;
      /** Puts what it starts with into its inbox. */
      readonly open: (member: Member) => Promise<void>;
      /** Waits for its turn before the first request. */
      readonly beforeFirst: (signal: AbortSignal) => Promise<void>;
    }
  | { readonly ok: false; readonly reason: string };

function planFork(runtime: Runtime, request: SpawnRequest, point: ForkPoint): Plan {
  const parent = point.parent;
  const id = newAgentId();
  const spec: AgentSpec = {
    id,
    type: FORK_TYPE,
    depth: parent.depth + 1,
    maxTurns: Math.min(request.maxTurns ?? FORK_MAX_TURNS, FORK_MAX_TURNS),
    conversation: forkConversation(point),
    tools: parent.tools,
    // The parent's mode at the moment of each call.
    permission: {
      get mode() {
        return parent.permission.mode;
      },
      set mode(_) {},
      readOnly: parent.permission.readOnly,
      ...(parent.permission.limits ? { limits: parent.permission.limits } : {}),
    },
    hooks: childHooks(runtime, id, FORK_TYPE, () => parent.permission.mode, undefined),
    host: parent.host,
    roots: parent.roots,
    budget: childBudget(parent.budget, request.maxUsd),
    maxTokens: parent.maxTokens,
    files: parent.files.clone(),
    callIds: forkCallIds(parent.callIds),
    ...(point.reference ? { reference: point.reference } : {}),
    transcript: runtime.layout.agentFile(id),
  };
  return {
    ok: true,
    spec,
    origin: FORK_ORIGIN,
    isFork: true,
    oneShot: false,
    spawns: undefined,
    fork: {
      session: runtime.session,
      agent: parent.id,
      upTo: parent.emit.lastSeq(),
      messages: point.shared.length,
      sha256: point.sha256,
    },
    open: async ({ agent }) => {
      if (point.placeholders.length > 0) await agent.inbox.admitFrozen('fork-placeholders', point.placeholders);
      const directive = forkDirective({ directive: request.prompt, ownCheckout: false });
      await agent.inbox.admit('fork-directive', [text(directive)]);
      await startHooks(runtime, agent);
    },
    beforeFirst: async (signal) => {
      const { id: model, keepsThinking } = parent.model;
      const warn: ExpectedStart['warn'] = (line) => void runtime.members.get(id)?.agent.emit(line);
      const { description } = request;
      runtime.coldStarts.expect(id, { cached: point.cached, model: { id: model, keepsThinking }, description, warn });
      if (runtime.warmUps.isWorthIt(point, parent.model)) await runtime.warmUps.enter(point.key, id, signal);
    },
  };
}

async function planNamed(runtime: Runtime, request: SpawnRequest, definition: AgentDefinition): Promise<Plan> {
  const { parent } = request;
  const depth = parent.agent.depth + 1;
  const pool = assemblePool({ all: runtime.tools, definition, depth, maxDepth: runtime.settings.maxDepth });
  if (!pool.ok) return pool;
  const id = newAgentId();
  const model = chooseModel({
    env: runtime.host.env,
    call: request.model,
    definition: definition.model,
    parent: parent.agent.model.id,
    overrides: runtime.models,
  });
  const plans = definition.permissionMode === 'plan';
  const readOnly = isReadOnlyType(definition) || plans || parent.agent.permission.readOnly;
  const mode = await decideMode(runtime, request, definition);
  const budget = childBudget(parent.agent.budget, request.maxUsd);
  const host = request.cwd === undefined ? parent.agent.host : parent.agent.host.at(request.cwd);
  const permission = { mode, readOnly, limits: toolLimits(definition) };
  const maxTokens = replyLimit(runtime, model, budget);
  const prefix = prefixFor(runtime, {
    model,
    thinks: definition.effort !== undefined || runtime.settings.childrenThink,
    effort: definition.effort,
    maxTokens,
    tools: pool.tools,
    system: [definition.prompt.trim() === '' ? EMPTY_PROMPT : definition.prompt],
  });
  const spec: AgentSpec = {
    id,
    type: definition.name,
    depth,
    maxTurns: Math.min(request.maxTurns ?? definition.maxTurns, definition.maxTurns),
    conversation: new Conversation(prefix),
    tools: pool.tools,
    permission,
    hooks: childHooks(runtime, id, definition.name, () => permission.mode, definition),
    host,
    roots: parent.agent.roots,
    budget,
    maxTokens,
    files: parent.agent.files.clone(),
    transcript: runtime.layout.agentFile(id),
  };
  return {
    ok: true,
    spec,
    origin: `agent:${definition.source.scope}:${definition.name}`,
    isFork: false,
    oneShot: definition.oneShot,
    spawns: definition.spawns,
    open: async ({ agent }) => {
      const opening = await runtime.opening({ host, model, omitInstructions: definition.omitClaudeMd });
      await agent.inbox.admit('reminder', [text(opening)]);
      await startHooks(runtime, agent);
      await agent.inbox.admit('message', [text(request.prompt)]);
    },
    beforeFirst: async () => {},
  };
}

const FORK_MAX_TURNS = 200;

export const EMPTY_PROMPT =
  'You are an agent of Coppice, a coding agent. Do the task you are given yourself, directly, with your tools, and end with one message that holds the conclusion.';

/** Unique in the session and beyond; short enough to read out. */
function newAgentId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 17);
}

async function decideMode(runtime: Runtime, request: SpawnRequest, definition: AgentDefinition) {
  const { settings: rules } = runtime;
  const question = {
    wish: definition.permissionMode,
    parent: request.parent.agent.permission.mode,
    startedBypassed: rules.startedBypassed,
    interactive: rules.interactive,
    inherit: rules.childrenInheritMode,
  };
  const editsAgreed = needsAgreement(question) && (await agreeOnEdits(rules, request.signal));
  return childMode({ ...question, editsAgreed });
}

function childBudget(whole: Budget, maxUsd: number | undefined): Budget {
  return maxUsd === undefined ? whole : new Budget({ maxUsd }, whole);
}

/** The session's hooks with the child's own fields, and those of its front matter on top. */
export function childHooks(
  runtime: Runtime,
  id: string,
  type: string,
  mode: () => AgentSpec['permission']['mode'],
  definition: AgentDefinition | undefined,
) {
  const counts = runtime.settings.definitionHooks && definition?.hooks !== undefined;
  const sources = counts ? [{ origin: definition.source.file, hooks: definition.hooks }] : [];
  return runtime.hooks.withHooks(sources, {
    base: () => ({
      session_id: runtime.session,
      transcript_path: runtime.layout.file,
      cwd: runtime.host.folder,
      permission_mode: mode(),
      agent_id: id,
      agent_type: type,
    }),
  });
}

async function startHooks(_crew: Runtime, agent: Member['agent']): Promise<void> {
  if (!agent.hooks.has('SubagentStart')) return;
  const fields = { agent_id: agent.id, agent_type: agent.type };
  const verdict = await showHooks({ agent }, await agent.hooks.run('SubagentStart', fields));
  for (const context of verdict.context) await agent.inbox.admit('hook', [text(reminder(context))]);
}

/** Ends with the call that waits for it, until it is cut loose. */
function follow(signal: AbortSignal, abort: AbortController): () => void {
  const end = () => abort.abort();
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true, signal: abort.signal });
  return () => signal.removeEventListener('abort', end);
}

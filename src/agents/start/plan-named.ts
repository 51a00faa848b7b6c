/** Plans a named child: it starts fresh, with the prompt, tools, model and mode of its definition. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import { childBudget } from '../../loop/budget.js';
import { text } from '../../protocol/blocks.js';
import type { ServerReport } from '../../protocol/mcp/server-report.js';
import type { PermissionMode } from '../../protocol/permission.js';
import { requoteTags } from '../../protocol/tags.js';
import { isReadOnlyType } from '../catalog/built-in.js';
import { chooseModel } from '../catalog/choose-model.js';
import { toolLimits } from '../catalog/tool-limits.js';
import { assemblePool } from '../catalog/tool-pool.js';
import { equipAgent } from '../feature.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import { announceServers } from '../servers/announce-servers.js';
import { declareServers } from '../servers/declare-servers.js';
import { type GivenServers, giveServers } from '../servers/give-servers.js';
import { preloadSkills } from '../skills/preload-skills.js';
import { namedNotice } from '../worktrees/worktree.text.js';
import { childHooks } from './agent-hooks.js';
import { makeEpoch, replyLimit } from './make-epoch.js';
import type { Plan, SpawnRequest } from './plan.js';
import { toolsGained } from './tools-gained.js';

export async function planNamed(runtime: Runtime, request: SpawnRequest, definition: AgentDefinition): Promise<Plan> {
  const servers = await giveServers(runtime, definition, request.signal);
  if (!servers.ok) return { ok: false, reason: `Nothing was started: ${servers.reason}` };
  const plan = await planWith(runtime, request, definition, servers);
  if (!plan.ok) await servers.own?.rest();
  return plan;
}

async function planWith(
  runtime: Runtime,
  request: SpawnRequest,
  definition: AgentDefinition,
  servers: Extract<GivenServers, { ok: true }>,
): Promise<Plan> {
  const { parent } = request;
  const { settings } = runtime;
  const depth = parent.depth + 1;
  const pool = assemblePool({
    all: servers.tools,
    definition,
    depth,
    maxDepth: settings.maxDepth,
    only: settings.builtInTools,
  });
  if (!pool.ok) return pool;
  const limits = toolLimits(definition);
  const readOnly = isReadOnlyType(definition) || definition.permissionMode === 'plan' || parent.record.readOnly;
  const pooled = pool.tools.map((tool) => tool.name);
  const gains =
    readOnly || parent.mode === 'plan' ? [] : toolsGained(runtime, { parent, definition, tools: pooled, limits });
  const refused = gains.length === 0 ? undefined : await askForGain(runtime, request, definition.name, gains);
  if (refused !== undefined) return { ok: false, reason: `Nothing was started: ${refused}` };
  const asking = { requester: parent.requester, signal: request.signal };
  const equipment = await equipAgent(runtime.features, { definition, tools: pool.tools, readOnly, ...asking });
  const { tools } = equipment;
  const model = chooseModel({
    env: runtime.host.env,
    call: request.model,
    definition: definition.model,
    // Not the fallback model: a child may outlast the overload.
    parent: parent.epoch.fallbackFor ?? parent.epoch.model.id,
    mode: definition.permissionMode === 'plan' ? 'plan' : parent.mode,
    overrides: runtime.models,
  });
  const thinks = definition.effort !== undefined || settings.childrenThink;
  const { effort } = definition;
  const host = request.cwd === undefined ? parent.host : parent.host.at(request.cwd);
  const maxTokens = replyLimit(runtime, model, childBudget(parent.budget, request.maxUsd));
  const declared = declareServers(runtime, { servers: servers.servers, tools, model, definition });
  const epoch = makeEpoch(runtime, {
    model,
    thinks,
    effort,
    maxTokens,
    tools: declared,
    system: [...systemOf(definition), ...equipment.system],
  });
  return {
    ok: true,
    start: {
      record: {
        kind: 'agent-spawned',
        agent: runtime.host.newShortId(),
        type: definition.name,
        ...(request.name === undefined ? {} : { name: request.name }),
        description: request.description,
        parent: parent.id,
        call: request.call,
        depth,
        origin: `agent:${definition.source.scope}:${definition.name}`,
        model: epoch.model.id,
        mode: await decideMode(runtime, request, definition),
        readOnly,
        background: request.background,
        oneShot: definition.oneShot,
        maxTurns: Math.min(request.maxTurns ?? definition.maxTurns, definition.maxTurns),
        ...(request.maxUsd === undefined ? {} : { maxUsd: request.maxUsd }),
        cwd: host.folder,
        tools: declared.map((tool) => tool.name),
        ...(definition.spawns === undefined ? {} : { spawns: definition.spawns }),
        limits,
        thinks,
        ...(effort === undefined ? {} : { effort }),
        ...equipment.record,
      },
      parent,
      epoch,
      host,
      hooks: childHooks(runtime),
      files: parent.files.clone(),
      servers: servers.own,
    },
    introduce: async (agent, made) => {
      const { roots, record } = agent;
      const opening = await runtime.opening({
        host: agent.host,
        roots,
        worktree: record.worktree,
        model,
        omitInstructions: definition.omitClaudeMd,
        note: noteOf(made && namedNotice({ ...made, folder: agent.host.folder }), servers.lines),
      });
      const skills = await preloadSkills(runtime, agent, definition);
      for (const line of [...servers.lines, ...equipment.lines, ...skills.lines])
        await agent.emit({ kind: 'line-shown', level: 'warning', line });
      const announcements = { ...opening.announcements, ...skills.announcements, ...equipment.announcements };
      await agent.inbox.admit({ origin: 'reminder', key: 'opening', announcements }, [
        text(opening.words),
        ...skills.blocks,
      ]);
      await announceServers(servers.servers, agent, (report) => concerns(agent, definition, report));
      await agent.inbox.admit({ origin: 'message', key: 'task' }, [text(requoteTags(request.prompt))]);
    },
    beforeFirst: async () => {},
  };
}

/** True for servers whose tools it has, and those from its definition. */
function concerns(agent: LiveAgent, { mcpServers = [] }: AgentDefinition, { name, tools }: ServerReport): boolean {
  return agent.hasTool(...tools) || mcpServers.some((one) => one.name === name);
}

function noteOf(notice: string | undefined, lines: readonly string[]): string | undefined {
  const pages = [...(notice === undefined ? [] : [notice]), ...lines];
  return pages.length === 0 ? undefined : pages.join('\n\n');
}

/** Asks the user before an agent gains tools by starting another. Returns the reason if refused. */
async function askForGain(
  { ports: { gate } }: Runtime,
  { parent, call: id, prompt, signal }: SpawnRequest,
  type: string,
  gains: readonly string[],
): Promise<string | undefined> {
  const input = { subagent_type: type, prompt };
  const call = { id, tool: 'Agent', input, actions: [{ kind: 'spawn' as const, type, gains }] };
  const { decision } = await gate.decide(parent.requester, call);
  if (decision.behavior === 'allow') return undefined;
  const answer = decision.behavior === 'deny' ? decision : await gate.ask(parent.requester, call, decision, signal);
  const { behavior, by } = answer;
  const reason = behavior === 'deny' ? { reason: answer.reason } : {};
  await parent.emit({ kind: 'permission-answered', call: id, tool: 'Agent', behavior, by, ...reason });
  return behavior === 'deny' ? answer.reason : undefined;
}

const EMPTY_PROMPT =
  'You are an agent of Coppice, a coding agent. Do the task you are given yourself, directly, with your tools, and end with one message that holds the conclusion.';

export function systemOf({ prompt }: Pick<AgentDefinition, 'prompt'>): string[] {
  return [prompt.trim() === '' ? EMPTY_PROMPT : prompt];
}

function decideMode(
  { ports, settings }: Runtime,
  { parent, signal }: SpawnRequest,
  definition: AgentDefinition,
): Promise<PermissionMode> {
  const question = {
    wish: definition.permissionMode,
    parent: parent.mode,
    startedBypassed: settings.startedBypassed,
    interactive: settings.interactive,
    inherit: settings.childrenInheritMode,
  };
  return ports.gate.childMode(question, parent.requester, signal);
}

/** The Agent tool, with which a model delegates work to a child. */

import { isAbsolute, resolve } from 'node:path';
import * as z from 'zod';
import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import { DEFAULT_TYPE, FORK_TYPE } from '../../protocol/agent-spawned.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { agentFacts } from '../../protocol/tools/agent.js';
import { isInsideAny } from '../../tools/path-context.js';
import type { JsonSchema, Tool, ToolContext } from '../../tools/tool.js';
import { withoutFields } from '../../tools/without-fields.js';
import { zodTool } from '../../tools/zod-tool.js';
import { chooseModel } from '../catalog/choose-model.js';
import { declaredType, routeCall } from '../catalog/route.js';
import { FORKS_START_NOTHING, refuseChild } from '../catalog/spawn-refusals.js';
import { takeForkPoint } from '../fork/take-fork-point.js';
import type { LiveAgent } from '../live-agent.js';
import { agentResponse } from '../run/agent-response.js';
import { boundResult, resultText } from '../run/result.js';
import { launched, waitForChild } from '../run/wait-for-child.js';
import type { AgentSettings, Runtime } from '../runtime.js';
import type { SpawnRequest } from '../start/plan.js';
import { spawn } from '../start/spawn.js';
import DECLARED_INPUTS from './declared-inputs.json' with { type: 'json' };

const fields = () => ({
  description: z.string().optional().describe('Three to five words that name the task, for lists'),
  prompt: z.string().min(1).describe('The task'),
  subagent_type: z.string().optional().describe('Which kind of agent; general-purpose if omitted'),
  model: z.string().optional().describe('Another model for this child: an alias or a full id'),
  isolation: z.enum(['worktree']).optional().describe('Give it a git worktree of its own'),
  name: z.string().optional().describe('A name under which it can be written to'),
  cwd: z.string().optional().describe('Another folder to work in: absolute, inside the allowed ones'),
  max_turns: z.number().int().positive().optional().describe('At most so many turns'),
  max_usd: z.number().positive().optional().describe('At most so many dollars'),
  fork: z.boolean().optional().describe('Start from this conversation: the child knows all that was said here'),
  run_in_background: z.boolean().optional().describe('Return at once; a notice comes when it ends'),
});
const schema = () => z.object(fields());
/** Where forks are not available, a stray `fork` must not make a call invalid. */
const schemaWithoutFork = () =>
  z.object({
    ...fields(),
    fork: z
      .unknown()
      .transform((value) => /^true$/i.test(String(value)))
      .optional(),
  });

export type AgentInput = z.infer<ReturnType<typeof schema>>;

/** The settings that change the tool's declaration. */
type DeclaredRules = Pick<AgentSettings, 'forkAvailable' | 'backgroundAvailable'>;

export function createAgentTool(runtime: () => Runtime, rules: DeclaredRules, description: string): Tool<AgentInput> {
  return zodTool({
    name: agentFacts.name,
    aliases: agentFacts.aliases,
    description,
    schema: rules.forkAvailable ? schema : schemaWithoutFork,
    inputSchema: declaredInput(rules),
    concurrent: true,
    startsChild: true,
    // `boundResult` limits the result and stores the full text on disk.
    maxResultChars: Number.POSITIVE_INFINITY,
    declare: (input) => [{ kind: 'spawn', type: typeOf(runtime(), input) }],
    run: (input, context) => runAgentCall(runtime(), input, context),
  });
}

/** Declares only what is available in this session. */
function declaredInput({ forkAvailable, backgroundAvailable }: DeclaredRules): JsonSchema {
  return withoutFields(DECLARED_INPUTS.Agent, [
    ...(forkAvailable ? [] : (['fork'] as const)),
    ...(backgroundAvailable ? [] : (['run_in_background'] as const)),
  ]);
}

/** The name of the definition, so that rules apply to any alias. */
function typeOf({ catalog, settings: rules }: Runtime, input: AgentInput): string {
  const type = declaredType(input, rules.forkAvailable);
  return type === FORK_TYPE ? type : (catalog.find(type)?.name ?? type);
}

async function runAgentCall(runtime: Runtime, input: AgentInput, context: ToolContext): Promise<ToolOutcome> {
  const parent = runtime.agents.get(context.agentId);
  if (parent === undefined) return failed('This agent is not part of the session any more; nothing was started.');
  const request = readCall(runtime, parent, input, context);
  if (typeof request === 'string') return failed(request);
  const misplaced = input.cwd === undefined ? undefined : await checkFolder(parent, input.cwd);
  if (misplaced !== undefined) return failed(misplaced);
  const spawned = await spawn(runtime, request.spawn);
  if (!spawned.ok) return failed(spawned.reason);
  const { agent } = spawned;
  const { name, oneShot } = agent.record;
  if (name !== undefined) parent.knows.set(name, agent.id);
  const result = request.spawn.background ? launched(parent, agent) : await waitForChild(runtime, parent, agent);
  const bounded = result.status === 'async_launched' ? result : await boundResult(runtime, result);
  const canContinue = parent.hasTool('SendMessage');
  const output = resultText(bounded, { oneShot, canContinue, note: request.note });
  return result.status === 'failed'
    ? failed(output)
    : { ...succeeded(output), response: () => agentResponse(input, bounded) };
}

type ReadCall = { readonly spawn: SpawnRequest; readonly note: string | undefined };

/** Checks a call before anything is started. A string is the reason to refuse it. */
function readCall(runtime: Runtime, parent: LiveAgent, input: AgentInput, context: ToolContext): ReadCall | string {
  if (parent.isFork) return FORKS_START_NOTHING;
  if (input.prompt.trim() === '') return 'The prompt is blank: say what the agent should do. Nothing was started.';
  const { settings } = runtime;
  const type = typeOf(runtime, input);
  if (runtime.ports.gate.isAgentDenied(type)) {
    return `Agents of type ${type} are denied by a rule. Use another type, or do the work yourself.`;
  }
  const route = routeCall(input, runtime.catalog, settings.forkAvailable);
  if (route.kind === 'unknown') {
    return `There is no agent of type "${route.asked}". There are: ${runtime.catalog.namesNear(route.asked).join(', ')}.`;
  }
  const definition = route.kind === 'named' ? route.definition : undefined;
  const planned = parent.mode === 'plan' ? withoutWorktree(input, definition) : undefined;
  if (planned?.refused !== undefined) return planned.refused;
  const isolation = planned === undefined ? (input.isolation ?? definition?.isolation) : undefined;
  if (isolation !== undefined && input.cwd !== undefined) return ownFolder(definition, input);
  const background =
    settings.backgroundAvailable &&
    (settings.forceBackground || input.run_in_background === true || definition?.background === true);
  const common = {
    parent,
    background,
    call: context.callId,
    prompt: input.prompt,
    description: input.description?.trim() || firstWords(input.prompt),
    name: input.name?.trim() || undefined,
    model: input.model,
    maxTurns: input.max_turns,
    maxUsd: input.max_usd,
    cwd: input.cwd,
    isolation,
    signal: context.signal,
  };
  if (route.kind === 'named') {
    const refusal = refuseChild(runtime, parent, route.definition);
    if (refusal !== undefined) return refusal;
    const note = route.fellBack ? `(fork is not available here: ran as ${route.definition.name})` : undefined;
    return { spawn: { ...common, kind: { definition: route.definition } }, note };
  }
  const model = input.model?.trim();
  if (model && !isParentsModel(runtime, parent, model)) {
    return `A fork runs on its parent's model (${parent.epoch.model.id}): the cache it shares belongs to that model, and on ${model} it would pay for the whole conversation again. Leave \`model\` out, or start a ${DEFAULT_TYPE} agent on ${model} instead.`;
  }
  if (input.cwd !== undefined) return 'A fork works where its parent works; leave `cwd` out.';
  const point = takeForkPoint(parent, settings.siblings);
  if (point === undefined)
    return 'There is nothing to fork from yet: a fork needs a conversation with at least one reply.';
  return { spawn: { ...common, kind: { fork: point } }, note: undefined };
}

/** Checks the real path: a link inside an allowed folder may lead out of it. */
async function checkFolder({ host, roots }: LiveAgent, cwd: string): Promise<string | undefined> {
  const { files } = host;
  const real = isAbsolute(cwd) ? await files.realpath(cwd).catch(() => resolve(cwd)) : undefined;
  if (real === undefined || !isInsideAny(roots, real)) {
    return `cwd must be an absolute folder inside ${roots.join(' or ')}; ${cwd} is not.`;
  }
  const found = await files.stat(real).catch(() => undefined);
  return found?.kind === 'folder' ? undefined : `cwd: there is no such folder: ${cwd}`;
}

/** `inherit`, the parent's id, or an alias of it. */
function isParentsModel(runtime: Runtime, { epoch, mode }: LiveAgent, model: string): boolean {
  const parent = epoch.fallbackFor ?? epoch.model.id;
  return chooseModel({ env: {}, call: model, definition: model, parent, mode, overrides: runtime.models }) === parent;
}

/**
 * Creating a worktree changes the repository. A named child is read-only here and needs none; a fork outlives the mode
 * (EX-4).
 */
function withoutWorktree({ isolation }: AgentInput, definition: AgentDefinition | undefined): { refused?: string } {
  if (isolation === undefined || definition !== undefined) return {};
  return {
    refused:
      'Plan mode only reads, and a worktree changes the repository: nothing was started. Leave `isolation` out, or wait until the plan is accepted.',
  };
}

function ownFolder(definition: AgentDefinition | undefined, { isolation }: AgentInput): string {
  const whose = isolation === undefined && definition ? `Agents of type ${definition.name} work` : 'It is to work';
  return `${whose} in a worktree, made from the folder you work in: leave \`cwd\` out. Nothing was started.`;
}

function firstWords(prompt: string): string {
  return prompt.trim().split(/\s+/).slice(0, 5).join(' ').slice(0, 80);
}

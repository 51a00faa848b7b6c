/** The main agent of a session: the inputs it is built from, and its start with the first prompt. */

import { isDeepStrictEqual } from 'node:util';
import { toolLimits } from '../agents/catalog/tool-limits.js';
import type { Equipment } from '../agents/feature.js';
import type { AgentStart, LiveAgent } from '../agents/live-agent.js';
import type { Runtime } from '../agents/runtime.js';
import { preloadSkills } from '../agents/skills/preload-skills.js';
import { rootPath } from '../agents/start/agent-path.js';
import { makeEpoch, replyLimit } from '../agents/start/make-epoch.js';
import type { AgentDefinition } from '../config/definitions/agent-definition.js';
import { VERSION } from '../config/version.js';
import { showHooks } from '../gate/hooks/hooks.js';
import type { Epoch } from '../loop/agent.js';
import { applySwitches } from '../loop/epoch.js';
import type { Prefix } from '../model/prefix.js';
import { thinkingParameters } from '../model/thinking.js';
import { text } from '../protocol/blocks.js';
import type { ThinkingChoice } from '../protocol/commands.js';
import { type AgentSpawned, type Announcements, MAIN_AGENT } from '../protocol/events.js';
import type { PermissionMode } from '../protocol/permission.js';
import { reminder } from '../protocol/tags.js';
import { lastingEpoch, OPENING_KEY } from '../session/state/agent-state.js';
import type { Tool } from '../tools/tool.js';
import type { LoadedSession } from './open/load-session.js';
import type { SessionStyle } from './open/session-style.js';

/** The setup specific to the main agent. */
export type MainSetup = {
  readonly definition: AgentDefinition | undefined;
  /** The default if nothing else is selected. */
  readonly thinks: boolean;
  readonly thinking: ThinkingChoice | undefined;
  readonly effort: string | undefined;
  readonly taskBudget: number | undefined;
  /** Effort, thinking or budget were given now, not just by settings: a resumed session applies them. */
  readonly parametersGiven: boolean;
  readonly maxTurns: number;
  /** With the current output style. */
  readonly system: readonly string[];
  readonly style: SessionStyle;
  /** What features add for the agent it runs as; undefined: it runs as none. */
  readonly equipment: Equipment | undefined;
  /** Announced by the prefix in addition to the opening: the skills. */
  readonly announcements: Announcements;
};

/** Your current choice; it may have changed since the session was opened. */
export type Choice = {
  readonly mode: PermissionMode;
  readonly model: string;
  readonly effort: string | undefined;
  readonly thinking: ThinkingChoice | undefined;
  readonly tools: readonly Tool[];
};

/** Continues a start that failed half-way, for example on a full disk: each step happens once. */
export async function startMain(
  runtime: Runtime,
  setup: MainSetup,
  main: LiveAgent,
  { mode, model }: Choice,
  signal: AbortSignal,
): Promise<void> {
  if (main.state.started === undefined) await recordStart(runtime, main, model, mode);
  await admitOpening(runtime, setup, main, model);
  await sessionHooks(main, 'startup', model, signal);
}

export function mainStart(runtime: Runtime, setup: MainSetup, choice: Choice, loaded?: LoadedSession): AgentStart {
  const today = mainEpoch(runtime, setup, choice);
  const stored = loaded && storedEpoch(runtime, setup, loaded, today);
  return {
    record: mainRecord(runtime, setup, choice),
    parent: undefined,
    epoch: stored ?? today,
    host: runtime.host,
    hooks: (agent) => mainHooks(runtime, setup, agent),
    ...(loaded === undefined ? {} : { state: loaded.state, end: loaded.end }),
  };
}

/** The epoch for a choice of model and tools. */
export function mainEpoch(
  runtime: Runtime,
  { thinks, system, taskBudget }: MainSetup,
  { model, effort, thinking, tools }: Choice,
  maxTokens = replyLimit(runtime, model, runtime.budget),
): Epoch {
  return makeEpoch(runtime, { model, thinks: thinking ?? thinks, effort, taskBudget, system, tools, maxTokens });
}

/** The stored prefix, if model and tools are the same: then the cache may still hit. */
function storedEpoch(
  { ports }: Runtime,
  { thinks, thinking, effort, taskBudget, parametersGiven }: MainSetup,
  loaded: LoadedSession,
  today: Epoch,
): Epoch | undefined {
  if (loaded.prefix === undefined) return undefined;
  const stored = ports.model.loadPrefix(loaded.prefix);
  const { model, tools, system } = stored;
  if (model !== today.prefix.model) return undefined;
  if (toolsIn(stored) !== toolsIn(today.prefix)) return undefined;
  const { newEpoch } = loaded.state;
  const epoch = lastingEpoch(loaded.state);
  const maxTokens = newEpoch === undefined ? (epoch?.maxTokens ?? today.maxTokens) : today.maxTokens;
  const earlier = storedParameters(stored, today);
  if (!parametersGiven) return { ...today, ...earlier, prefix: stored, maxTokens };
  const chosen = {
    thinks: thinking ?? earlier.thinks ?? thinks,
    effort: effort ?? earlier.effort,
    taskBudget: taskBudget ?? earlier.taskBudget,
  };
  const parameters = {
    ...thinkingParameters(today.model, chosen.thinks, chosen.effort, maxTokens),
    ...(chosen.taskBudget === undefined ? {} : { taskBudget: chosen.taskBudget }),
  };
  const prefix = ports.model.freezePrefix({ model, ...parameters, tools, system });
  return { ...today, ...chosen, prefix, maxTokens, reason: 'effort-switch' };
}

/** Parameters selected earlier and not given again. A thinking budget may only be the translation of an effort. */
function storedParameters({ parameters = {} }: Prefix, today: Epoch): Pick<Epoch, 'thinks' | 'effort' | 'taskBudget'> {
  const { thinking, effort = today.effort, taskBudget } = parameters;
  const isKept = thinking !== undefined && thinking.type !== 'enabled';
  return { thinks: isKept ? thinking : today.thinks, effort, taskBudget };
}

/** Keeps the declarations of an earlier process while the names are the same: then the cache may still hit. */
export function retainPrefix(current: Epoch, next: Epoch): Epoch {
  return toolsIn(current.prefix) === toolsIn(next.prefix) ? { ...current, tools: next.tools } : next;
}

/** By their names; with structured output, also by its schema. */
function toolsIn({ tools }: Prefix): string {
  return tools
    .map(({ name, inputSchema }) => (name === 'StructuredOutput' ? `${name} ${JSON.stringify(inputSchema)}` : name))
    .join(' ');
}

/** The record the main agent is built from. On disk it is `session-started`. */
function mainRecord(
  runtime: Runtime,
  { definition, maxTurns, thinks, thinking, effort, equipment }: MainSetup,
  choice: Choice,
): AgentSpawned {
  return {
    kind: 'agent-spawned',
    agent: MAIN_AGENT,
    type: MAIN_AGENT,
    description: 'the session',
    parent: '',
    call: '',
    depth: 0,
    chain: rootPath(runtime.session),
    origin: definition === undefined ? 'session' : `agent:${definition.source.scope}:${definition.name}`,
    model: choice.model,
    mode: choice.mode,
    readOnly: false,
    background: false,
    oneShot: false,
    maxTurns,
    cwd: runtime.host.folder,
    tools: choice.tools.map((tool) => tool.name),
    ...(definition?.spawns === undefined ? {} : { spawns: definition.spawns }),
    ...(definition === undefined ? {} : { limits: toolLimits(definition) }),
    thinks: thinking === undefined ? thinks : thinking.type !== 'disabled',
    ...(effort === undefined ? {} : { effort }),
    ...equipment?.record,
  };
}

function mainHooks(runtime: Runtime, { definition }: MainSetup, agent: LiveAgent) {
  const own = runtime.settings.definitionHooks ? definition?.hooks : undefined;
  const sources = own === undefined || definition === undefined ? [] : [{ origin: definition.source.file, hooks: own }];
  return runtime.hooks.withHooks(sources, {
    of: 'main',
    base: () => ({
      session_id: runtime.session,
      transcript_path: runtime.layout.file,
      cwd: runtime.host.folder,
      permission_mode: agent.mode,
      chain: agent.chain,
      depth: agent.depth,
    }),
  });
}

/** Starts the conversation again, as in a new session. */
export async function clearMain(
  runtime: Runtime,
  setup: MainSetup,
  main: LiveAgent,
  choice: Choice,
  signal: AbortSignal,
): Promise<void> {
  const { model } = choice;
  await main.emit({ kind: 'history-cleared' });
  await applyStyle(runtime, setup, main, choice);
  await admitOpening(runtime, setup, main, model);
  await sessionHooks(main, 'clear', model, signal);
}

/** Applies a selected output style: the old prefix is no longer needed (FK-25). */
async function applyStyle(runtime: Runtime, setup: MainSetup, main: LiveAgent, choice: Choice): Promise<void> {
  for (const line of await setup.style.reload()) await main.emit({ kind: 'line-shown', level: 'warning', line });
  // A resumed session may still have the prompt of an earlier day.
  if (isDeepStrictEqual(main.epoch.prefix.system, setup.system)) return;
  const next = ({ model, tools, maxTokens }: Epoch): Epoch =>
    mainEpoch(runtime, setup, { ...choice, model: model.id, tools }, maxTokens);
  main.switches.push({ kind: 'epoch', next });
  await applySwitches(main);
}

export async function recordStart(
  runtime: Runtime,
  main: LiveAgent,
  model: string,
  mode: PermissionMode,
): Promise<void> {
  const { session, host, settings } = runtime;
  const { chain } = main;
  const more = settings.onlyCalls ? { onlyCalls: true as const } : {};
  await main.emit({
    kind: 'session-started',
    session,
    cwd: host.folder,
    version: VERSION,
    model,
    mode,
    chain,
    ...more,
  });
}

export async function admitOpening(
  runtime: Runtime,
  { definition, equipment, announcements: ofPrefix }: MainSetup,
  main: LiveAgent,
  model: string,
): Promise<void> {
  if (main.state.admittedKeys.has(OPENING_KEY)) return;
  const omitInstructions = definition?.omitClaudeMd ?? false;
  const opening = await runtime.opening({ host: runtime.host, roots: runtime.roots, model, omitInstructions });
  const skills = await preloadSkills(runtime, main, definition);
  for (const line of skills.lines) await main.emit({ kind: 'line-shown', level: 'warning', line });
  const announcements = { ...opening.announcements, ...ofPrefix, ...skills.announcements, ...equipment?.announcements };
  await main.inbox.admit({ origin: 'reminder', key: OPENING_KEY, announcements }, [
    text(opening.words),
    ...skills.blocks,
  ]);
}

export async function sessionHooks(
  main: LiveAgent,
  source: 'startup' | 'resume' | 'clear',
  model: string,
  signal?: AbortSignal,
): Promise<void> {
  const verdict = await showHooks({ agent: main }, await main.hooks.run('SessionStart', { source, model }, { signal }));
  for (const [index, context] of verdict.context.entries()) {
    const key = `${source} hook ${index} after ${main.state.lastSeq}`;
    await main.inbox.admit({ origin: 'hook', key }, [text(reminder(context))]);
  }
}

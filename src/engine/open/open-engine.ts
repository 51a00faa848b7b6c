/** Opens a session: reads the configuration, connects to the model, and wires the rooms together. */

import { canResolveTo } from '../../agents/catalog/choose-model.js';
import { equipAgent } from '../../agents/feature.js';
import type { Runtime } from '../../agents/runtime.js';
import { declareForMain } from '../../agents/servers/declare-servers.js';
import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import { settingOf } from '../../config/settings/settings-table.js';
import { newAbort } from '../../host/clock.js';
import { applySwitches } from '../../loop/epoch.js';
import { DEFAULT_MODEL } from '../../model/models.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import { type Listener, MAIN_AGENT } from '../../protocol/events.js';
import type { PermissionMode } from '../../protocol/permission.js';
import { lastingEpoch } from '../../session/state/agent-state.js';
import type { OpenedServers } from '../../tools/mcp/session-servers.js';
import { buildRuntime } from '../build/build-runtime.js';
import { mainTools } from '../build/build-tools.js';
import { scheduleCleanUp } from '../clean-up.js';
import { Engine } from '../engine.js';
import { findSessionServers } from '../mcp/find-session-servers.js';
import { endPlanMode } from '../plan/end-plan-mode.js';
import { skillAnnouncements } from '../refresh/reload-skills.js';
import { refuseMode, refuseModels, refuseParameters } from '../refuse-options.js';
import { Resources } from '../resources.js';
import { scheduleCheckpoints } from '../resume-main.js';
import { readName } from '../session-name.js';
import { type OpenFailure, type SessionOptions, usageFailure } from '../session-options.js';
import type { TrafficSetup } from '../traffic/open-traffic.js';
import { connectModel } from './connect-model.js';
import type { Entered } from './enter-worktree.js';
import { findIdentity } from './find-identity.js';
import { findSessionPlugins, withPrograms } from './find-plugins.js';
import { findMainDefinition } from './main-definition.js';
import { mainSetup, openStyle } from './main-setup.js';
import { nameWiderRules } from './name-wider-rules.js';
import { openOutput } from './open-output.js';
import { type FolderConfig, type FoundFolder, findFolder, findRoots, readConfig } from './read-config.js';
import { readInstructions } from './read-instructions.js';

export type OpenedEngine =
  | {
      readonly ok: true;
      readonly engine: Engine;
      /** Adds a line to the debug file, if there is one. */
      note?(line: string): void;
    }
  | OpenFailure;

/** Releases everything opened so far if the session can't be opened. */
export async function openEngine(options: SessionOptions = {}): Promise<OpenedEngine> {
  const resources = new Resources();
  try {
    const opened =
      options.debugFile === undefined ? await open(options, resources) : await openWatched(options, resources);
    if (!opened.ok) await resources.close();
    return opened;
  } catch (error) {
    await resources.close();
    throw error;
  }
}

/** The first resource: it is written to until everything else is closed. */
async function openWatched(options: SessionOptions, resources: Resources): Promise<OpenedEngine> {
  const { openDebugFile } = await import('../debug/debug-file.js');
  const found = await findFolder(options);
  if (!found.ok) return found;
  const debug = await openDebugFile(found.host, options.debugFile ?? '');
  if (!debug.ok) return usageFailure(debug.reason);
  const { onEvent, note } = debug.file;
  resources.add('the debug file', () => debug.file.close());
  const both: Listener = (event) => {
    onEvent(event);
    options.onEvent?.(event);
  };
  const opened = await open({ ...options, onEvent: both }, resources);
  note(opened.ok ? `session ${opened.engine.runtime.session}` : `not opened: ${opened.reason}`);
  return opened.ok ? { ...opened, note } : opened;
}

async function open(options: SessionOptions, resources: Resources): Promise<OpenedEngine> {
  const asked = await findFolder(options);
  if (!asked.ok) return asked;
  if (options.worktree === undefined) return openIn({ ...asked, options }, resources);
  const { enterWorktree } = await import('./enter-worktree.js');
  const entered = await enterWorktree(options, asked, resources);
  return entered.ok ? openIn({ ...entered, ...entered.found, asked }, resources) : entered;
}

type Location = Extract<FoundFolder, { readonly ok: true }> &
  Partial<Pick<Entered, 'worktree' | 'notes'>> & {
    readonly options: SessionOptions;
    /** The folder it was requested in, whose trust and approvals apply in the worktree. Omitted: the same. */
    readonly asked?: Extract<FoundFolder, { readonly ok: true }>;
  };

async function openIn(location: Location, resources: Resources): Promise<OpenedEngine> {
  const { options, folder, repoRoot, worktree, notes = [], asked = location } = location;
  const projectRoot = repoRoot ?? folder;
  const output = await openOutput(options);
  if (!output.ok) return output;
  const config = await readConfig(options, location.host, projectRoot, asked.folder);
  if (!config.ok) return config;
  const { host, settings, models, trusted } = config;
  const name = options.name === undefined ? undefined : readName(options.name);
  if (name?.ok === false) return usageFailure(`invalid session name: ${name.reason}`);
  const roots = await findRoots(host, folder, settings);
  if (!roots.ok) return roots;
  const identity = await findIdentity(options, host, { folder, roots: roots.roots }, resources);
  if (!identity.ok) return identity;
  const { id, layout, loaded } = identity;
  const mode = options.permissionMode ?? loaded?.state.mode ?? settingOf(settings.settings, 'permissions.defaultMode');
  const configured = host.env.ANTHROPIC_MODEL ?? settings.settings.model;
  const past = loaded && lastingEpoch(loaded.state)?.model;
  // A name that stands for several models keeps that meaning.
  const isPast = configured !== undefined && past !== undefined && canResolveTo(configured, past, models);
  const given = options.model ?? (isPast ? configured : past);
  const wanted = given ?? configured ?? DEFAULT_MODEL;
  const allowsBypass = mode === 'bypassPermissions' || options.allowBypass === true;
  const modes = { host, settings: settings.settings, allowsBypass };
  const wrong = refuseMode(mode, modes) ?? refuseParameters(options);
  if (wrong !== undefined) return usageFailure(wrong);
  const traffic = await openTraffic(
    options,
    { host, from: asked.folder, session: id, folder, roots: roots.roots, repoRoot },
    resources,
  );
  if (traffic !== undefined && 'ok' in traffic) return traffic;
  const approvalsRoot = asked.repoRoot ?? asked.folder;
  const of = await findSessionPlugins({ ...config, options, folder: asked.folder, projectRoot, approvalsRoot });
  if (of.errors.length > 0) return usageFailure(of.errors.join('\n'));
  const { plugins } = of;
  const [provider, instructions, servers] = await Promise.all([
    connectModel(options, host, settings, traffic),
    readInstructions(config, { folder, root: projectRoot, working: roots.roots }),
    findSessionServers({ ...config, options, folder, projectRoot, approvalsRoot, plugins }),
  ]);
  if ('ok' in provider) return provider;
  const [error] = servers.found.errors;
  if (error !== undefined) return usageFailure(error);
  const session = { id, options, host, folder, projectRoot, repoRoot, roots: roots.roots, trusted, settings, models };
  const orphans = loaded?.orphans ?? [];
  const built = await buildRuntime(
    {
      ...session,
      host: await withPrograms(host, plugins),
      plugins,
      servers,
      worktree: worktree?.place,
      approvalsRoot,
      provider,
      pace: traffic?.pace,
      layout,
      ...instructions,
      orphans,
      mode,
      model: wanted,
    },
    resources,
    {
      wakeMain: () => {
        if (!options.onlyCalls) engine.driver.wake();
      },
      acceptEdits: (agent) => acceptEdits(engine, agent),
      endPlanMode: (next) => endPlanMode(engine, next),
    },
  );
  const { runtime, warnings } = built;
  if (built.refusal !== undefined) return usageFailure(built.refusal);
  traffic?.follow(runtime);
  worktree?.onRemoval(async (path) => void (await runtime.hooks.run('WorktreeRemove', { worktree_path: path })));
  const asAgent = options.agent === undefined ? undefined : findMainDefinition(runtime, options.agent);
  if (asAgent?.ok === false) return asAgent;
  const definition = asAgent?.definition;
  // Nobody can be asked yet: a newer snapshot gets a line.
  const unasked = { readOnly: false, requester: undefined, signal: newAbort().signal };
  const equipment = asAgent && (await equipAgent(runtime.features, { ...asAgent, ...unasked }));
  const brought = await openOwnServers(runtime, definition);
  const readAgain = () => readConfig(options, location.host, projectRoot, asked.folder);
  const style = openStyle({ ...location, plugins }, config, definition, async () => {
    const now = await readAgain();
    return now.ok ? { name: now.settings.settings.outputStyle } : undefined;
  });
  const styleWarnings = await style.load(settings.settings.outputStyle);
  const engine: Engine = new Engine({
    runtime,
    resources,
    setup: mainSetup(options, config, {
      definition,
      equipment,
      style,
      announcements: skillAnnouncements(runtime.skills),
    }),
    mode: stricterMode(definition, mode),
    modelName: given === undefined && definition && definition.model !== 'inherit' ? definition.model : wanted,
    tools: [...(equipment?.tools ?? mainTools(runtime)), ...output.tools],
    servers: brought.servers,
    declareServers: (offered, model) =>
      declareForMain(runtime, { definition, servers: brought.servers, offered, model }),
    serverWaitMs: waitMsFor(config, runtime.settings.interactive),
    initialPrompt: loaded === undefined ? definition?.initialPrompt : undefined,
    loaded,
    isBranch: options.branch === true,
    resumeWaitMs: options.resumeWaitMs ?? Number.POSITIVE_INFINITY,
    resumeAgents: settingOf(settings.settings, 'resumeAgents') === 'auto' || host.env.COPPICE_RESUME_AGENTS === 'auto',
    definitions: built.definitions,
    skills: built.skills,
    readFacts: built.readFacts,
    modes,
    isKept: options.persist !== false,
    name: name?.name,
    warnings: [
      ...notes,
      ...(await nameWiderRules(host, settings.rules)),
      ...of.warnings.map(escapeToLine),
      ...(traffic?.warnings ?? []),
      ...warnings,
      ...brought.lines,
      ...styleWarnings,
      ...(equipment?.lines ?? []).map(escapeToLine),
    ],
    statusLine: built.statusLine && {
      ...built.statusLine,
      facts: () => ({ projectDir: projectRoot, addedDirs: roots.roots.slice(1), ...engine.facts }),
    },
    config: { ...config, ...instructions, options, projectRoot, approvalsRoot, askedIn: asked.folder, readAgain },
    replayStatus: () => traffic?.status?.(),
    worktree,
  });
  const refused = refuseModels(runtime, engine.model, options);
  if (refused !== undefined) return usageFailure(refused);
  scheduleCheckpoints(runtime, resources, loaded?.checkpoint);
  scheduleCleanUp(runtime, resources, { days: settings.settings.cleanupPeriodDays, repoRoot, trusted });
  return { ok: true, engine };
}

/** Loads nothing unless it is requested. */
async function openTraffic(options: SessionOptions, setup: TrafficSetup, resources: Resources) {
  if (options.record === undefined && options.replay === undefined) return undefined;
  return (await import('../traffic/open-traffic.js')).openTraffic(options, setup, resources);
}

/** Loaded only if the agent it runs as names or describes servers. */
async function openOwnServers({ mcp }: Runtime, definition: AgentDefinition | undefined): Promise<OpenedServers> {
  if ((definition?.mcpServers ?? []).length === 0 || definition === undefined) return { servers: mcp, lines: [] };
  const opened = await mcp.openFor(definition);
  return { ...opened, lines: opened.lines.map(escapeToLine) };
}

/** An interactive user reads on meanwhile; otherwise nothing is lost by waiting for configured servers. */
function waitMsFor({ ownEnv, settings: { settings } }: FolderConfig, interactive: boolean): number {
  const limit = Number(ownEnv.MCP_TIMEOUT);
  return settings.mcp?.waitMs ?? (interactive ? INTERACTIVE_WAIT_MS : limit > 0 ? limit : CONNECT_MS);
}

const INTERACTIVE_WAIT_MS = 2_000;
const CONNECT_MS = 30_000;

/** A definition may make the session stricter; only you can widen it. */
function stricterMode(definition: AgentDefinition | undefined, mode: PermissionMode): PermissionMode {
  const request = definition?.permissionMode;
  return request === 'plan' || request === 'dontAsk' ? request : mode;
}

/**
 * Switches the session and the agent that asked to acceptEdits. At once, or its next edit would be asked about. A mode
 * other than `default` was chosen on purpose, and stays.
 */
async function acceptEdits(engine: Engine, agentId: string): Promise<void> {
  const { agents } = engine.runtime;
  if (engine.mode === 'default') {
    await engine.choose({ mode: 'acceptEdits' });
    const main = agents.get(MAIN_AGENT);
    if (main !== undefined) await applySwitches(main, 'mode');
  }
  let agent = agents.get(agentId);
  // A fork is in its parent's mode.
  while (agent?.isFork && agent.parent !== undefined) agent = agent.parent;
  if (agent?.mode === 'default') await agent.emit({ kind: 'mode-changed', mode: 'acceptEdits' });
}

/** Builds what all agents of a session share, from settings, flags and the machine. */

import { createCatalog, refusedProblem } from '../../agents/catalog/catalog.js';
import { WarmUps } from '../../agents/fork/warm-up.js';
import { NoticeHolders } from '../../agents/notices/notice-holders.js';
import type { Runtime } from '../../agents/runtime.js';
import { TurnOverrides } from '../../agents/skills/turn-overrides.js';
import { localRunner } from '../../agents/start/local-runner.js';
import { Names } from '../../agents/start/names.js';
import { Slots } from '../../agents/start/slots.js';
import type { NamedCommand } from '../../config/approvals/named-files.js';
import { describeUnapproved } from '../../config/approvals/project-hooks.js';
import {
  type DefinitionsQuery,
  definitionsWatch,
  loadDefinitions,
  movedFolders,
} from '../../config/definitions/load-definitions.js';
import { summariseProblems } from '../../config/definitions/summarise-problems.js';
import { configDir, coppiceHome, projectKey, sessionLayout } from '../../config/paths.js';
import { formatProblem } from '../../config/problem.js';
import { settingOf } from '../../config/settings/settings-table.js';
import type { ReadFacts } from '../../context/announced-facts.js';
import { readBranch } from '../../context/environment.js';
import { openFeatures } from '../../features/features.js';
import type { HooksOptions } from '../../gate/hooks/hooks.js';
import { Budget } from '../../loop/budget.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { Listeners } from '../../session/emit.js';
import { readState } from '../../session/state/read-state.js';
import { createForkResolver } from '../../session/state/resolve-fork.js';
import { openServers } from '../mcp/open-servers.js';
import { type EndPlanMode, PlanMode } from '../plan/plan-mode.js';
import { firstFactsOf, readFactsOf } from '../refresh/refresh-main.js';
import type { ChangingDefinitions } from '../refresh/reload-definitions.js';
import { throttleReload } from '../refresh/throttle-reload.js';
import type { Resources } from '../resources.js';
import { type ChangingSkills, changingSkills } from '../skills/find-session-skills.js';
import { listForModel, listingBudgets } from '../skills/model-listings.js';
import { approvalsOfSkills, approveServers, approveSkills, pluginHooks, statusLineOf } from './active-extensions.js';
import { agentSettings } from './agent-settings.js';
import { createAskModel } from './ask-model.js';
import { buildHooks, buildPorts, createElicit, openConfinement } from './build-ports.js';
import { buildTools, lazyProviderSearch } from './build-tools.js';
import { HookApprovals } from './hook-approvals.js';
import { fallbackOf, type SessionConfig } from './session-config.js';
import type { StatusLineCommand } from './status-line-command.js';

export type BuiltRuntime = {
  readonly runtime: Runtime;
  /** Warnings collected while opening. */
  readonly warnings: string[];
  /** The agent types in the files now, and whether they have changed since the last check. */
  readonly definitions: ChangingDefinitions;
  readonly skills: ChangingSkills;
  readonly readFacts: ReadFacts;
  readonly statusLine: StatusLineCommand | undefined;
  /** The reason why the session can't be opened as requested. */
  readonly refusal: string | undefined;
};

/** Calls from lower rooms into the engine. */
type EngineCalls = {
  wakeMain(): void;
  /** Puts the session, and this agent, into acceptEdits. */
  acceptEdits(agentId: string): Promise<void>;
  endPlanMode: EndPlanMode;
};

export async function buildRuntime(
  config: SessionConfig,
  resources: Resources,
  { wakeMain, acceptEdits, endPlanMode }: EngineCalls,
): Promise<BuiltRuntime> {
  const { id, options, host, layout, instructions, repoRoot, settings: read, models } = config;
  const question = definitionsQuestion(config);
  const haveMoved = movedFolders(question);
  const skillsHere = changingSkills(config);
  // Files are read while the rest is built.
  const early = { definitions: loadDefinitions(question), skills: skillsHere.load() };
  for (const loading of Object.values(early)) void loading.catch(() => {});
  const { settings } = read;
  const warnings = [...read.warnings.map(formatProblem), ...instructions.now.warnings.map(escapeToLine)];
  warnings.push(...config.servers.found.warnings.map(escapeToLine));
  const warn = (line: string) => void warnings.push(escapeToLine(line));
  const { problem } = repoRoot === undefined ? {} : await readBranch(host, repoRoot);
  if (problem !== undefined) warn(problem);
  const listeners = new Listeners();
  if (options.onEvent !== undefined) listeners.add(options.onEvent);
  const approvals = new HookApprovals(config);
  const runsHooks = !settingOf(settings, 'disableAllHooks');
  const ofSettings = await approvals.ofSettings(runsHooks ? read.hooks : []);
  const ofPlugins = await pluginHooks(config);
  const whyChanged = async (command: NamedCommand & { readonly environment?: Readonly<Record<string, string>> }) =>
    ofPlugins.whyChanged(command.environment) ?? approvals.whyChanged(command);
  const placeOf: HooksOptions['placeOf'] = (command, project) => approvals.placeOf(command, project);
  const hooks = await buildHooks(config, {
    approved: ofSettings.kept,
    ofPlugins: ofPlugins.sources,
    whyChanged,
    placeOf,
    warn,
    runtime: () => runtime,
  });
  resources.add('the background hooks', () => hooks.close());
  const confinement = await openConfinement(config, warn);
  resources.add('the sandbox', () => confinement.sandbox.close());
  const plans = new PlanMode(host, layout.plan, endPlanMode);
  const opened = openFeatures(() => runtime);
  const ports = buildPorts(config, confinement, { warn, acceptEdits, plans, opened }, () => runtime);
  const loadCatalog = async (loading = loadDefinitions(question)) => {
    const { definitions, problems, stamp } = await loading;
    const { kept, unapproved } = await approvals.ofDefinitions(runsHooks ? [...definitions.values()] : []);
    const catalog = createCatalog({
      definitions: runsHooks ? kept : definitions.values(),
      disableBuiltIn: settings.disableBuiltinAgents,
      isDenied: ports.gate.isAgentDenied,
    });
    const refused = catalog.refused.map(refusedProblem);
    return { catalog, problem: summariseProblems([...problems, ...refused]), unapproved, stamp };
  };
  const [{ catalog, ...first }, { skills, lines: skillLines }] = await Promise.all([
    loadCatalog(early.definitions),
    early.skills,
  ]);
  const statusLine = await statusLineOf(config, approvals);
  approvals.opened();
  if (options.trust === true) await approveServers(config, catalog);
  const notRun = describeUnapproved([...ofSettings.unapproved, ...first.unapproved, ...(statusLine?.unapproved ?? [])]);
  for (const line of [...(statusLine?.warnings ?? []), first.problem, notRun, ...skillLines])
    if (line !== undefined) warn(line);
  const recordHooks = async (skill: string, what: string) =>
    void (await runtime.agents.get(MAIN_AGENT)?.emit({ kind: 'skill-hooked', skill, what }));
  const skillApprovals = approvalsOfSkills(config, {
    gate: ports.gate,
    hooks,
    runsHooks,
    approvals,
    skills,
    recordHooks,
  });
  if (options.trust === true) await approveSkills(skills, skillApprovals);
  const shared = agentSettings(config);
  for (const feature of opened.features) resources.add(feature.name, () => feature.close());
  const mcp = openServers(config, {
    elicit: createElicit(() => runtime),
    warn: (line) => warnUser(listeners, line),
  });
  resources.add('the MCP servers', () => mcp.close());
  const budgets = listingBudgets(config);
  const cacheLifetime = settingOf(settings, 'cacheLifetime');
  const budget = new Budget({ ...options, cacheLifetime });
  const built = buildTools(() => runtime, {
    settings: shared,
    catalog,
    agentListing: budgets.agents,
    sandbox: confinement.mode !== 'off',
    confines: confinement.confines,
    skills: await listForModel(host, skills, budgets.skills),
    plans,
    more: options.tools ?? [],
    denied: options.disallowedTools ?? [],
    warn: warn,
  });
  const runtime: Runtime = {
    session: id,
    host,
    layout,
    layoutOf: (session) => sessionLayout(coppiceHome(host.env), projectKey(config.folder), session),
    projectRoot: config.projectRoot,
    roots: config.roots,
    worktree: config.worktree,
    trusted: config.trusted,
    trustsThisRun: options.trust === true,
    ports,
    runner: localRunner,
    hooks,
    listeners,
    budget,
    askModel: createAskModel({ provider: config.provider, budget, models }),
    webSearch: lazyProviderSearch(config.provider, () => runtime),
    models,
    fallbackModel: fallbackOf(config),
    cacheLifetime,
    maxOutputTokens: settingOf(settings, 'maxOutputTokens'),
    settings: shared,
    tools: built.tools,
    skillTool: built.skillTool,
    mcp,
    catalog,
    plugins: config.plugins,
    skills,
    typedSkills: new Map(),
    approveSkill: async (use, signal) => (await skillApprovals()).approve(use, signal),
    restoreHooks: async (skill, what) => (await skillApprovals()).restore(skill, what),
    turns: new TurnOverrides(),
    agents: new Map(),
    ended: new Map(),
    shellTasks: new Map(),
    orphans: config.orphans,
    finishing: new Set(),
    isClosing: false,
    wakeMain,
    slots: new Slots(settingOf(settings, 'maxConcurrentAgents')),
    names: new Names(),
    agreedPairs: new Set(),
    warmUps: new WarmUps(host.clock, listeners, settingOf(settings, 'fork.warmupMs')),
    noticeHolders: new NoticeHolders(),
    unreported: [],
    returning: new Map(),
    budgetStop: undefined,
    fences: new Map(),
    prefixes: new Map(),
    resolveFork: createForkResolver((session, agent, readOptions) => {
      const of = session === id ? layout : runtime.layoutOf(session);
      return readState(host.files, agent === MAIN_AGENT ? of.file : of.agentFile(agent), readOptions);
    }),
    ...opened.runtime,
    features: opened.features,
    opening: firstFactsOf(config),
  };
  const load = async () => {
    const loaded = await loadCatalog();
    const line = describeUnapproved(loaded.unapproved);
    return { catalog: loaded.catalog, lines: [loaded.problem, line].filter((one) => one !== undefined) };
  };
  const definitions = { load, haveChanged: throttleReload(host.clock, definitionsWatch(question, first), haveMoved) };
  return {
    runtime,
    warnings,
    definitions,
    skills: skillsHere,
    readFacts: readFactsOf(config),
    statusLine: statusLine?.command,
    refusal: built.refusal,
  };
}

function warnUser(listeners: Listeners, line: string): void {
  listeners.notify({ agent: MAIN_AGENT, seq: undefined, event: { kind: 'line-shown', level: 'warning', line } });
}

function definitionsQuestion({
  options,
  host,
  folder,
  repoRoot,
  trusted,
  settings,
  plugins,
}: SessionConfig): DefinitionsQuery {
  return {
    host,
    cwd: folder,
    ...(repoRoot === undefined ? {} : { repoRoot }),
    userDir: configDir(host.env),
    trusted,
    settingsAgents: settings.agents,
    plugins,
    sources: options.settingSources,
    ...(options.agents === undefined ? {} : { flagAgents: options.agents }),
  };
}

/** Builds the ports of the loop for one session. */

import { join } from 'node:path';
import { fallbackTo } from '../../agents/run/fall-back.js';
import type { Runtime } from '../../agents/runtime.js';
import { adoptCall } from '../../agents/shells/call-task.js';
import { adoptShell } from '../../agents/shells/shell-task.js';
import { coppiceHome, userHome } from '../../config/paths.js';
import type { SourcedHook } from '../../config/settings/collect-sources.js';
import { settingOf } from '../../config/settings/settings-table.js';
import { describeInstructions } from '../../context/instructions.js';
import type { OpenedFeatures } from '../../features/features.js';
import { createGate, type GateOptions } from '../../gate/gate.js';
import type { HookSource } from '../../gate/hooks/hook-config.js';
import { createHooks, type Hooks, type HooksOptions } from '../../gate/hooks/hooks.js';
import { type Confinement, confinePermitted } from '../../gate/sandbox/confine-permitted.js';
import { lazySandbox } from '../../gate/sandbox/lazy-sandbox.js';
import type { Host } from '../../host/host.js';
import { markedSession } from '../../host/process-mark.js';
import type { Agent } from '../../loop/agent.js';
import type { Ports } from '../../loop/ports.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { reminder } from '../../protocol/tags.js';
import { outputPath, saveOutput, savePrefix } from '../../session/store/session-files.js';
import type { Elicit } from '../../tools/mcp/connect/connection.js';
import type { PlanMode } from '../plan/plan-mode.js';
import { agentSettings } from './agent-settings.js';
import { createBackups } from './backups.js';
import { fallbackOf, type SessionConfig } from './session-config.js';

type PortsOptions = Pick<GateOptions, 'warn' | 'acceptEdits'> & {
  readonly plans: PlanMode;
  readonly opened: Pick<OpenedFeatures, 'ports'>;
};

/** `runtime` is called when a port is used, never while they are built. */
export function buildPorts(
  config: SessionConfig,
  confinement: Confinement,
  { warn, acceptEdits, plans, opened }: PortsOptions,
  runtime: () => Runtime,
): Ports {
  const { host, layout, settings, provider } = config;
  const fallback = fallbackOf(config);
  const backups = createBackups(config, () => runtime().agents.get(MAIN_AGENT)?.emit);
  return {
    markedSession: markedSession(layout.file),
    model: provider,
    ...(config.pace === undefined ? {} : { pace: config.pace }),
    ...(fallback === undefined ? {} : { fallback: fallbackTo(fallback, runtime) }),
    gate: createGate({
      host,
      projectRoot: config.projectRoot,
      rules: settings.rules,
      trusted: config.trusted,
      readRoots: [layout.toolResults, layout.tasks],
      ...(confinement.confines ? { box: confinement.sandbox } : {}),
      editsAgreed: settings.settings.subagents?.allowEdits,
      acceptEdits,
      plans,
      questionSeconds: settings.settings.askUserQuestionTimeout,
      keepLeft: backups.keepLeft,
      warn,
    }),
    clientsReady: (signal) => runtime().listeners.ready(signal),
    announceMode: (agent) => plans.announce(agent),
    reportsResponses: config.options.toolResponses === true,
    savePrefix: (prefix) => savePrefix(host, layout, prefix),
    backUpFiles: backups.backUpFiles,
    noteFiles: backups.noteFiles,
    saveOutput: (name, content) => saveOutput(host, layout, name, content),
    outputPath: (name) => outputPath(host, layout, name),
    instructionsFor: async (agent, path) => {
      const parts = [await instructionsFor(config, agent, path), await skillsFor(runtime(), agent, path)];
      const texts = parts.filter((one) => one !== undefined);
      return texts.length > 0 ? texts.join('\n') : undefined;
    },
    ...opened.ports,
    confine: (agent, command, options) => {
      const { host: own, roots, requester } = agent;
      const location = { host: own, roots, worktree: requester.worktree, trusted: config.trusted };
      return confinePermitted(confinement, location, command, options);
    },
    ...(agentSettings(config).backgroundAvailable
      ? {
          adoptCommand: (agent, callId, command) => adoptShell(runtime(), { ...command, agentId: agent.id, callId }),
          adoptCall: adoptCallsOf(config, runtime),
        }
      : {}),
  };
}

/** Moves a long call of the main agent to the background in interactive sessions (MC-19). */
function adoptCallsOf(
  { host, options, servers }: SessionConfig,
  runtime: () => Runtime,
): NonNullable<Ports['adoptCall']> {
  const { ownEnv = host.env } = servers.question;
  const set = ownEnv.CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS?.trim();
  const given = set === undefined || set === '' ? Number.NaN : Number(set);
  const afterMs = given >= 0 ? given : AUTO_BACKGROUND_MS;
  return (agent, callId) => {
    if (options.interactive !== true || agent.id !== MAIN_AGENT || afterMs === 0) return undefined;
    return { afterMs, keep: (call) => adoptCall(runtime(), { ...call, agentId: agent.id, callId }) };
  };
}

const AUTO_BACKGROUND_MS = 120_000;

/** Announces again whatever was in a history that has been replaced since. */
async function instructionsFor(
  { instructions, instructionsIn, worktree: sessions }: SessionConfig,
  agent: Agent,
  path: string,
): Promise<string | undefined> {
  const { announced, state } = agent;
  if (announced.generation !== state.generation) {
    announced.generation = state.generation;
    announced.names.clear();
  }
  const { worktree } = agent.requester;
  const { host, roots } = agent;
  const isOwn = worktree !== undefined && worktree.path !== sessions?.path;
  const here = isOwn ? await instructionsIn({ worktree, folder: host.folder, roots }) : undefined;
  const files = await (here ?? instructions.now).forFile(path, announced.names);
  return files.length > 0 ? reminder(describeInstructions(files)) : undefined;
}

/** Skills that match a touched file, each announced once (EX-9, EX-10). */
async function skillsFor({ skills }: Runtime, { epoch, announced }: Agent, path: string): Promise<string | undefined> {
  if (!epoch.tools.some((tool) => tool.name === 'Skill')) return undefined;
  const found = await skills.touched(path);
  const fresh = found.filter(({ name }) => !announced.names.has(`skill ${name}`));
  if (fresh.length === 0) return undefined;
  for (const { name } of fresh) announced.names.add(`skill ${name}`);
  const lines = fresh.map(
    ({ name, description }) => `- ${name}: ${escapeToLine(description).slice(0, MOST_DESCRIPTION)}`,
  );
  return reminder(['Skills for this part of the project, for the Skill tool:', ...lines].join('\n'));
}

const MOST_DESCRIPTION = 300;

export type BuildHooksOptions = Pick<HooksOptions, 'warn' | 'whyChanged' | 'placeOf'> & {
  /** From settings files, without unapproved ones. */
  readonly approved: readonly SourcedHook[];
  /** Called when a hook needs it. */
  readonly runtime: () => Runtime;
  /** From approved plugins. */
  readonly ofPlugins: readonly HookSource[];
};

export async function buildHooks(
  config: SessionConfig,
  { approved, ofPlugins, whyChanged, placeOf, warn, runtime }: BuildHooksOptions,
): Promise<Hooks> {
  const { id, host, folder, layout, mode, options, settings } = config;
  let matchesRule: Awaited<ReturnType<typeof loadRuleMatcher>> | undefined;
  const sources = [
    ...approved.map(({ event, group, origin: { file, scope } }) => ({
      origin: file,
      hooks: { [event]: [group] },
      isOwn: scope !== 'project' && scope !== 'local',
    })),
    ...ofPlugins,
    ...(options.hooks ? [{ origin: 'library', hooks: options.hooks, isOwn: true }] : []),
  ];
  return createHooks({
    host,
    projectDir: config.projectRoot,
    sources: settings.settings.disableAllHooks ? [] : sources,
    // Each agent adds its own fields; these are for hooks that no agent runs.
    base: () => ({ session_id: id, transcript_path: layout.file, cwd: folder, permission_mode: mode }),
    warn,
    ...(options.hookEvents
      ? { notify: (agent, event) => runtime().listeners.notify({ agent, seq: undefined, event }) }
      : {}),
    ports: async () => (await import('./hook-ports.js')).hookPorts(runtime()),
    http: settings.settings,
    ownEnv: config.servers.question.ownEnv,
    ...(whyChanged ? { whyChanged } : {}),
    ...(placeOf ? { placeOf } : {}),
    loadRules: async () => {
      matchesRule ??= await loadRuleMatcher();
    },
    matchesRule: (rule, tool, input, cwd = folder) =>
      matchesRule?.(rule, tool, input, { cwd, home: userHome(host.env) }) ?? true,
  });
}

/** Loaded with the first hook that has an `if`. */
async function loadRuleMatcher() {
  return (await import('../../gate/permissions/could-match-rule.js')).couldMatchRule;
}

/** Loads and probes nothing before the first command that needs it, unless the setting `sandbox` asks for it now. */
export async function openConfinement(config: SessionConfig, warn: (line: string) => void): Promise<Confinement> {
  const {
    host,
    settings: { settings },
    roots,
    trusted,
    layout,
  } = config;
  for (const note of await clearSandboxes(host)) warn(`sandbox: ${note}`);
  const mode = settingOf(settings, 'sandbox');
  const sandbox = lazySandbox({ host, roots, trusted, readable: [layout.toolResults] });
  if (mode !== 'off') {
    await host.files.makeFolder(layout.toolResults, 0o700);
    const { describeSandbox } = await import('../../gate/sandbox/describe-sandbox.js');
    const status = await sandbox.status();
    if (status.kind !== 'on' || status.confines !== 'all') warn(`sandbox: ${describeSandbox(status, mode).found}`);
  }
  return { sandbox, mode, confines: confinesReads(config) };
}

/** True if commands may be confined here, as far as that is known without probing. */
function confinesReads({ host, settings: { settings } }: SessionConfig): boolean {
  return settings.confineReads !== 'off' && ['linux', 'darwin'].includes(host.platform.os);
}

/** A session that was killed in a sandbox may have left stubs, even if this one uses none. */
async function clearSandboxes(host: Host): Promise<readonly string[]> {
  const home = coppiceHome(host.env);
  try {
    if ((await host.files.stat(join(home, 'sandbox'))) === undefined) return [];
    const { clearLeftovers } = await import('../../gate/sandbox/guards/sandbox-state.js');
    return await clearLeftovers(host, await host.files.realpath(home));
  } catch (error) {
    return [`leftovers of earlier sandboxes could not be checked: ${reasonOf(error)}`];
  }
}

/** `runtime` exists once the session does; a server may ask earlier. */
export function createElicit(runtime: () => Runtime): Elicit {
  return async (request, agentId, signal) => {
    const { agents, ports } = runtime();
    const agent = agents.get(agentId ?? MAIN_AGENT) ?? agents.get(MAIN_AGENT);
    return agent === undefined ? { action: 'decline' } : ports.gate.elicit(request, agent.requester, signal);
  };
}

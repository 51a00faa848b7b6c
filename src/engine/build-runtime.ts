/** Builds what all agents of a session share, from settings, flags and the machine. */

import { type Catalog, createCatalog } from '../agents/catalog/catalog.js';
import { ColdStarts } from '../agents/fork/cold-start.js';
import { WarmUps } from '../agents/fork/warm-up.js';
import { NoticeHolders } from '../agents/notices/notice-holders.js';
import { ProgressBoard } from '../agents/progress-board.js';
import { stopForBudget } from '../agents/run/stop-for-budget.js';
import type { Runtime } from '../agents/runtime.js';
import { adoptShell } from '../agents/shells/shell-task.js';
import { Slots } from '../agents/start/slots.js';
import { createAgentTool } from '../agents/tools/agent-tool.js';
import { describeAgentTool } from '../agents/tools/agent-tool.text.js';
import { createSendMessageTool } from '../agents/tools/send-message-tool.js';
import { createTaskTools } from '../agents/tools/task-tools.js';
import type { DefinitionsQuestion } from '../config/definitions/definition-sources.js';
import { loadDefinitions } from '../config/definitions/load-definitions.js';
import { configDir, coppiceHome, personHome, projectKey, sessionLayout } from '../config/paths.js';
import { formatProblem } from '../config/problem.js';
import type { SettingsResult } from '../config/settings/read-settings.js';
import { describeEnvironment, gatherEnvironment } from '../context/environment.js';
import { describeInstructions } from '../context/instructions.js';
import { reminder } from '../context/reminder.js';
import { createBroker } from '../gate/ask/broker.js';
import { createGatePort } from '../gate/gate.js';
import { createHooks } from '../gate/hooks/hooks.js';
import type { Sandbox } from '../gate/sandbox/sandbox.js';
import type { Host } from '../host/host.js';
import { Budget } from '../loop/budget.js';
import { MAIN_AGENT } from '../protocol/events.js';
import type { PermissionMode } from '../protocol/permission.js';
import type { Listener } from '../session/emit.js';
import { createFileKeeper } from '../session/files/file-keeper.js';
import { keepOutput, keepPrefix, outputPath } from '../session/store/keep.js';
import { createBashTool } from '../tools/bash/bash.js';
import { BUILT_IN_TOOLS } from '../tools/registry.js';
import type { Tool } from '../tools/tool.js';
import { agentSettings, DEFAULTS } from './agent-settings.js';
import { openSandbox } from './open-sandbox.js';
import type { RuntimeInput } from './runtime-input.js';
import { createSessionRules } from './session-rules.js';

export type BuiltRuntime = {
  readonly runtime: Runtime;
  /** What the main agent has of all tools. */
  readonly mainTools: readonly Tool[];
  readonly warnings: string[];
  readonly startMode: PermissionMode;
  /** Kept in step with the session's mode, for hooks. */
  readonly onMode: (mode: PermissionMode) => void;
  /** Where definitions come from, to look whether they changed. */
  readonly definitions: DefinitionsQuestion;
  readonly catalogOf: (question: DefinitionsQuestion) => Promise<Catalog>;
  readonly sandbox: Sandbox | undefined;
};

/** A coordinator hands everything on and reads what comes back. */
const COORDINATOR_TOOLS = new Set(['Agent', 'SendMessage', 'TaskStop', 'TaskOutput', 'ListAgents']);

export async function buildRuntime(input: RuntimeInput): Promise<BuiltRuntime> {
  const { id, options, host, layout, instructions, settings: read } = input;
  const { settings } = read;
  const listeners = new Set<Listener>(options.onEvent ? [options.onEvent] : []);
  const warnings = [...read.warnings.map(formatProblem), ...instructions.warnings];
  const warn = (line: string) => warnings.push(line);
  let mode: PermissionMode =
    options.permissionMode ?? input.resumedMode ?? settings.permissions?.defaultMode ?? 'default';
  const startMode = mode;
  const sessionRules = createSessionRules({ ...input, sources: read.rules, warn });
  const ask = options.onPermission && createBroker(options.onPermission);
  const rules = agentSettings(input, mode, () => mode, sessionRules.isTypeDenied, ask);
  const definitions: DefinitionsQuestion = definitionsQuestion(input);
  const catalogOf = async (question: DefinitionsQuestion) => {
    const loaded = await loadDefinitions(question);
    for (const problem of loaded.problems) warn(formatProblem(problem));
    return createCatalog({
      definitions: loaded.definitions.values(),
      disableBuiltIn: settings.disableBuiltinAgents,
      isDenied: sessionRules.isTypeDenied,
    });
  };
  const catalog = await catalogOf(definitions);
  const matchesRule = await ruleMatcher(read);
  const hooks = createHooks({
    host,
    projectDir: input.projectRoot,
    sources: settings.disableAllHooks ? [] : hookSources(input),
    base: () => ({ session_id: id, transcript_path: layout.file, cwd: input.folder, permission_mode: mode }),
    warn,
    matchesRule: (rule, tool, toolInput) =>
      matchesRule?.(rule, tool, toolInput, { cwd: input.folder, home: personHome(host.env) }) ?? true,
  });
  const sandbox = await openSandbox(input, warn);
  const keeper = createFileKeeper(host, layout, () => runtime.members.get(MAIN_AGENT)?.agent.emit);
  const runtime: Runtime = {
    session: id,
    host,
    layout,
    layoutOf: (session) => sessionLayout(coppiceHome(host.env), projectKey(input.folder), session),
    hooks,
    listeners,
    budget: new Budget(options),
    models: input.models,
    cacheLifetime: settings.cacheLifetime ?? '5m',
    maxOutputTokens: settings.maxOutputTokens ?? DEFAULTS.maxOutputTokens,
    tools: [],
    catalog,
    members: new Map(),
    ended: new Map(),
    shellTasks: new Map(),
    finishing: new Set(),
    isClosing: false,
    wakeMain: () => {},
    onFinished: () => {},
    slots: new Slots(settings.maxConcurrentAgents ?? DEFAULTS.maxConcurrentAgents),
    warmUps: new WarmUps(host.clock, listeners, settings.fork?.warmupMs ?? DEFAULTS.warmupMs),
    coldStarts: new ColdStarts(),
    progress: new ProgressBoard(),
    notices: new NoticeHolders(),
    prefixes: new Map(),
    settings: rules,
    opening: (wanted) => describeOpening(input, wanted),
    ports: {
      model: input.client,
      gate: createGatePort({
        rules: sessionRules,
        home: personHome(host.env),
        trusted: input.trusted,
        readRoots: [layout.toolResults, layout.tasks],
        ask,
      }),
      keepPrefix: (prefix) => keepPrefix(host, layout, prefix),
      keepFiles: (agent, call, paths) => keeper.keep(paths, { agent: agent.id, call }),
      noteFiles: (agent, call, paths) => keeper.note(paths, { agent: agent.id, call }),
      keepOutput: (name, content) => keepOutput(host, layout, name, content),
      outputPath: (name) => outputPath(host, layout, name),
      ...(sandbox
        ? {
            confine: (agent, command, { reportFile, grant }) =>
              sandbox.confine(command, { roots: agent.roots, reportFiles: [reportFile], ...(grant ? { grant } : {}) }),
          }
        : {}),
      ...(rules.backgroundAvailable
        ? {
            keepRunning: (agent, callId, command) => adoptShell(runtime, { ...command, agentId: agent.id, callId }),
          }
        : {}),
      instructionsFor: async (_agent, path) => {
        const files = await instructions.forFile(path);
        return files.length > 0 ? reminder(describeInstructions(files)) : undefined;
      },
    },
  };
  const description = describeAgentTool({
    definitions: catalog.list(),
    fork: rules.forkAvailable,
    background: rules.backgroundAvailable,
  });
  const bash = createBashTool({ background: rules.backgroundAvailable, sandbox: sandbox !== undefined }) as Tool;
  const builtIn = BUILT_IN_TOOLS.map((tool) => (tool.name === 'Bash' ? bash : tool));
  runtime.tools = [
    ...builtIn,
    createAgentTool(() => runtime, rules, description) as Tool,
    createSendMessageTool(() => runtime) as Tool,
    ...createTaskTools(() => runtime),
    ...(options.tools ?? []),
  ];
  listeners.add(({ agent, event }) => runtime.members.get(agent)?.output.hear(event));
  listeners.add(runtime.coldStarts.watch);
  listeners.add(runtime.progress.watch);
  listeners.add(runtime.notices.watch);
  listeners.add(stopForBudget(runtime));
  return {
    runtime,
    mainTools: rules.coordinator ? runtime.tools.filter((tool) => COORDINATOR_TOOLS.has(tool.name)) : runtime.tools,
    warnings,
    startMode,
    definitions,
    catalogOf,
    sandbox,
    onMode: (next) => {
      mode = next;
    },
  };
}

function definitionsQuestion({
  options,
  host,
  folder,
  repoRoot,
  trusted,
  settings,
}: RuntimeInput): DefinitionsQuestion {
  return {
    host,
    cwd: folder,
    ...(repoRoot === undefined ? {} : { repoRoot }),
    userDir: configDir(host.env),
    trusted,
    settingsAgents: settings.agents,
    ...(options.agents === undefined ? {} : { flagAgents: options.agents }),
  };
}

/** The engine behind a hook's `if` is loaded only where a hook has one. */
async function ruleMatcher({ hooks }: SettingsResult) {
  if (!hooks.some(({ group }) => group.hooks.some((hook) => 'if' in hook))) return undefined;
  return (await import('../gate/permissions/could-match-rule.js')).couldMatchRule;
}

function hookSources({ options, settings }: RuntimeInput) {
  return [
    ...settings.hooks.map(({ event, group, origin }) => ({ origin: origin.file, hooks: { [event]: [group] } })),
    ...(options.hooks ? [{ origin: 'library', hooks: options.hooks }] : []),
  ];
}

async function describeOpening(
  { roots, repoRoot, instructions }: RuntimeInput,
  wanted: { readonly host: Host; readonly model: string; readonly omitInstructions: boolean },
): Promise<string> {
  const facts = await gatherEnvironment(wanted.host, { roots, repoRoot, model: wanted.model });
  const pages = [describeEnvironment(facts)];
  if (!wanted.omitInstructions && instructions.files.length > 0) pages.push(describeInstructions(instructions.files));
  return reminder(pages.join('\n\n'));
}

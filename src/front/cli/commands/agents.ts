/** `coppice agents`: lists every agent definition, its file, what it shadows, and its problems. */

import { join, resolve } from 'node:path';
import { BUILT_IN_DEFINITIONS } from '../../../agents/catalog/built-in.js';
import { createCatalog, refusedProblem } from '../../../agents/catalog/catalog.js';
import { namesUnknownModel } from '../../../agents/catalog/choose-model.js';
import { refuseDefinition } from '../../../agents/catalog/spawn-refusals.js';
import { absentTools } from '../../../agents/catalog/tool-pool.js';
import type { AgentDefinition } from '../../../config/definitions/agent-definition.js';
import type { DefinitionsQuery } from '../../../config/definitions/load-definitions.js';
import { type LoadedDefinitions, loadDefinitions } from '../../../config/definitions/load-definitions.js';
import { findRepoRoot } from '../../../config/find-repo-root.js';
import { configDir } from '../../../config/paths.js';
import { formatProblem, type Problem } from '../../../config/problem.js';
import { readSettings } from '../../../config/settings/read-settings.js';
import { openTrust } from '../../../config/trust.js';
import { findSessionPlugins } from '../../../engine/open/find-plugins.js';
import { modelOverrides } from '../../../engine/open/read-config.js';
import type { Host } from '../../../host/host.js';
import { nodeHost } from '../../../host/node-host.js';
import type { ModelOverrides } from '../../../model/models.js';
import { normalizeType } from '../../../protocol/agent-spawned.js';
import { escapeControls } from '../../../protocol/escape-controls.js';
import { oneLine } from '../../../protocol/text/one-line.js';
import type { Tool } from '../../../tools/tool.js';
import { EXIT } from '../exit-code.js';

export type AgentsFlags = {
  readonly json?: boolean;
  readonly dir?: string;
  readonly agents?: string;
  readonly trust?: boolean;
};

type Listed = {
  readonly definitions: readonly AgentDefinition[];
  readonly loaded: LoadedDefinitions;
  readonly problems: readonly Problem[];
  /** The models of the settings. */
  readonly models: ModelOverrides;
};

export async function runAgents(flags: AgentsFlags): Promise<number> {
  const host = nodeHost(process.cwd());
  const dir = flags.dir === undefined ? undefined : resolve(flags.dir);
  if (dir !== undefined && (await host.files.stat(dir).catch(() => undefined))?.kind !== 'folder') {
    process.stderr.write(`error: --dir ${flags.dir}: no such folder\n`);
    return EXIT.usage;
  }
  const listed = dir === undefined ? await listHere(host, flags) : await listFolder(host, dir);
  const tools = await sessionTools();
  const entries = listed.definitions.map((definition) => describe(definition, listed, tools));
  if (flags.json) {
    const shadowed = listed.loaded.shadowed.map(({ definition, by }) => ({ ...fieldsOf(definition), by: by.file }));
    const { problems } = listed;
    process.stdout.write(`${JSON.stringify({ agents: entries, shadowed, problems }, null, 2)}\n`);
    return EXIT.done;
  }
  for (const entry of entries) process.stdout.write(`${formatEntry(entry)}\n`);
  for (const problem of listed.problems) process.stderr.write(`${formatProblem(problem)}\n`);
  return EXIT.done;
}

/** Lists the definitions that a session in this folder would have. */
async function listHere(host: Host, flags: AgentsFlags): Promise<Listed> {
  const repoRoot = await findRepoRoot(host, host.folder);
  const trusted = flags.trust === true || (await openTrust(host).isTrusted(host.folder));
  const projectRoot = repoRoot ?? host.folder;
  const settings = await readSettings({ host, cwd: host.folder, projectRoot, env: host.env, trusted });
  const place = { host, folder: host.folder, projectRoot, approvalsRoot: projectRoot, trusted, settings };
  const { plugins } = await findSessionPlugins({ ...place, options: {} });
  const query: DefinitionsQuery = {
    host,
    plugins,
    cwd: host.folder,
    ...(repoRoot === undefined ? {} : { repoRoot }),
    userDir: configDir(host.env),
    trusted,
    settingsAgents: settings.agents,
    ...(flags.agents === undefined ? {} : { flagAgents: flags.agents }),
  };
  const loaded = await loadDefinitions(query);
  const catalog = createCatalog({
    definitions: loaded.definitions.values(),
    disableBuiltIn: settings.settings.disableBuiltinAgents,
    isDenied: () => false,
  });
  const problems = [
    ...settings.errors,
    ...loaded.problems,
    ...reserved(loaded),
    ...catalog.refused.map(refusedProblem),
  ];
  return { definitions: catalog.list(), loaded, problems, models: modelOverrides(settings.settings.models) };
}

/** Lists the definitions of one folder only, without project, user and built-in ones. */
async function listFolder(host: Host, dir: string): Promise<Listed> {
  // A project path that doesn't exist, so that only the folder is read.
  const nowhere = join(dir, '.claude', 'agents', '.none');
  const loaded = await loadDefinitions({ host, cwd: nowhere, folders: [dir], trusted: true });
  const problems = [...loaded.problems, ...reserved(loaded)];
  return { definitions: [...loaded.definitions.values()], loaded, problems, models: {} };
}

function reserved({ definitions }: LoadedDefinitions): Problem[] {
  return [...definitions.values()]
    .filter(({ name }) => normalizeType(name) === 'fork')
    .map(({ source }) => ({
      severity: 'error' as const,
      file: source.file,
      line: 1,
      message: 'skipped: "fork" is reserved for forks of the conversation; give it another name',
    }));
}

function describe(definition: AgentDefinition, { loaded, models }: Listed, tools: readonly Tool[]) {
  const files = loaded.shadowed
    .filter(({ by }) => by.file === definition.source.file)
    .filter(({ definition: other }) => other.name === definition.name);
  const isFile = definition.source.scope !== 'built-in';
  const builtIn =
    isFile && BUILT_IN_DEFINITIONS.some(({ name }) => normalizeType(name) === normalizeType(definition.name));
  const shadows = [...files.map(({ definition: other }) => other.source.file), ...(builtIn ? ['built-in'] : [])];
  const unknownModel = namesUnknownModel(definition.model, models) ? { unknownModel: definition.model } : {};
  const entry = { ...fieldsOf(definition), shadows, ...unknownModel };
  const cannotStart = refuseDefinition(definition, tools);
  if (cannotStart !== undefined) return { ...entry, cannotStart };
  const absent = absentTools(definition, tools);
  return absent.length === 0 ? entry : { ...entry, absentTools: absent };
}

/** The tools of an ordinary session, to check definitions against. None is run. */
async function sessionTools(): Promise<readonly Tool[]> {
  const [{ BUILT_IN_TOOLS }, { createAgentTool }, { createSendMessageTool }, { createTaskTools }] = await Promise.all([
    import('../../../tools/registry.js'),
    import('../../../agents/tools/agent-tool.js'),
    import('../../../agents/tools/send-message-tool.js'),
    import('../../../agents/tools/task-tools.js'),
  ]);
  const nobody = () => {
    throw new Error('no session is open');
  };
  const rules = { forkAvailable: true, backgroundAvailable: true };
  const agent = createAgentTool(nobody, rules, '') as Tool;
  return [...BUILT_IN_TOOLS, agent, createSendMessageTool(nobody, rules) as Tool, ...createTaskTools(nobody)];
}

/** The fields of a definition, with the length of the prompt instead of its text. */
function fieldsOf({ prompt, source, ...fields }: AgentDefinition) {
  return { ...fields, promptLength: prompt.length, scope: source.scope, file: source.file, trusted: source.trusted };
}

function formatEntry(entry: ReturnType<typeof describe>): string {
  const description = oneLine(entry.description);
  return [
    `${entry.name}  (${entry.scope === 'built-in' ? 'built-in' : `${entry.scope}: ${entry.file}`})`,
    `  ${description.length > 160 ? `${description.slice(0, 159)}…` : description}`,
    `  model ${entry.model}; ${formatTools(entry)}${entry.isolation === undefined ? '' : '; in its own worktree'}`,
    ...(entry.unknownModel === undefined ? [] : [`  unknown model ${entry.unknownModel}; it is sent as given`]),
    ...('absentTools' in entry ? [`  unknown tools (ignored): ${entry.absentTools.join(', ')}`] : []),
    ...entry.shadows.map((file) => `  shadows ${file}`),
    ...('cannotStart' in entry ? [`  can't start: ${entry.cannotStart}`] : []),
  ]
    .map(escapeControls)
    .join('\n');
}

function formatTools({ tools, disallowedTools }: Pick<AgentDefinition, 'tools' | 'disallowedTools'>): string {
  if (disallowedTools.includes('*')) return 'no tools';
  const listed = tools === 'all' ? 'all tools' : tools.join(', ') || 'no tools';
  return disallowedTools.length > 0 ? `${listed}, without ${disallowedTools.join(', ')}` : listed;
}

/** Decides for every entry whether its server may run, and why not (MC-2, MC-10, MC-11, MC-13). Starts nothing. */

import { escapeToLine } from '../../protocol/escape-controls.js';
import { createServerScan, type FileScan } from '../approvals/named-files.js';
import { isServerApproved, type ProjectServer, scanServer, serverApproval } from '../approvals/project-servers.js';
import type { Plugin } from '../plugins/plugin.js';
import { pluginEnvironment } from '../plugins/plugin-variables.js';
import { isOfProject } from '../settings/merge-settings.js';
import { shellWord } from '../shell-word.js';
import { type Approvals, approvalHash, openTrust } from '../trust.js';
import { checkInProcess, checkServer, transportOf } from './check-server.js';
import { type RawServer, readServers, type ServersQuery, type ServersRead } from './read-servers.js';
import type { ConfiguredServer, ServerConfig, SkippedServer } from './server-config.js';
import { whyBlocked } from './server-policy.js';

export type JudgedServer = {
  readonly entry: RawServer;
  readonly warnings: readonly string[];
} & (
  | { readonly may: true; readonly server: ConfiguredServer }
  | { readonly may: false; readonly skipped: SkippedServer /** To be approved. */; readonly project?: ProjectServer }
);

export type ServersJudged = {
  /** One for each name: the strongest entry, except that a project's entry must be allowed to run. */
  readonly servers: readonly JudgedServer[];
  /** Entries of the project that would apply if they were approved. Not those that a setting rejects. */
  readonly unapproved: readonly ProjectServer[];
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
};

export async function judgeServers(query: ServersQuery): Promise<ServersJudged> {
  const read = await readServers(query);
  const judge = createJudge(query, read);
  const byName = new Map<string, JudgedServer>();
  const unapproved: ProjectServer[] = [];
  for (const entry of read.servers) {
    const before = byName.get(entry.name);
    if (before !== undefined && !givesWay(before)) continue;
    const judged = await judge(entry);
    if (!judged.may && judged.project !== undefined) unapproved.push(judged.project);
    if (before === undefined || !givesWay(judged)) byName.set(entry.name, judged);
  }
  skipDuplicates(byName);
  const servers = [...byName.values()].sort((a, b) => compare(a.entry.name, b.entry.name));
  return { servers, unapproved, warnings: read.warnings, errors: read.errors };
}

/** Skips a plugin's server that runs or connects to the same thing as another one (MC-1). */
function skipDuplicates(byName: Map<string, JudgedServer>): void {
  const taken = new Map<string, string>();
  const keyOf = ({ config }: ConfiguredServer) =>
    config.kind === 'stdio' ? JSON.stringify([config.command, config.args]) : 'url' in config && config.url;
  const all = [...byName.values()];
  for (const judged of [...all.filter(isNotPlugins), ...all.filter((one) => !isNotPlugins(one))]) {
    if (!judged.may) continue;
    const { entry, server } = judged;
    const key = String(keyOf(server) || entry.name);
    const before = taken.get(key);
    if (before === undefined) taken.set(key, entry.name);
    else if (entry.plugin !== undefined) {
      const { name, origin, raw } = entry;
      const skipped = {
        name,
        origin,
        transport: transportOf(raw),
        status: 'off',
        reason: `${before} is the same`,
      } as const;
      byName.set(name, { entry, warnings: [], may: false, skipped });
    }
  }
}

function isNotPlugins({ entry }: JudgedServer): boolean {
  return entry.plugin === undefined;
}

/** A project can't displace one of your servers by using the same name. */
function givesWay(judged: JudgedServer): boolean {
  return !judged.may && judged.entry.isForeign;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export type Judge = (entry: RawServer, agent?: string) => Promise<JudgedServer>;

/** Creates a judge that looks up the common data once for all entries. */
export function createJudge(query: ServersQuery, read: Pick<ServersRead, 'managedSet' | 'state'>): Judge {
  const scan = createServerScan(query.host, query.projectRoot, query.folder);
  let approvals: Promise<Approvals> | undefined;
  const approved = () => {
    approvals ??= openTrust(query.host).approvals(query.approvalsRoot);
    return approvals;
  };
  const rejected = new Map<unknown, string>();
  const variables = new Map<string, string>();
  for (const { name, item = '', value, origin } of query.settings.entries) {
    if (name === 'disabledMcpjsonServers') rejected.set(value, origin.file);
    if (name === 'env' && isOfProject(origin)) variables.set(item, String(value));
  }
  const context = { ...read, scan, approved, rejected, variables, pluginChanged: createPluginCheck(query) };
  return (entry, agent) => judgeOne(query, context, entry, agent);
}

type Context = Pick<ServersRead, 'managedSet' | 'state'> & {
  readonly scan: FileScan;
  readonly approved: () => Promise<Approvals>;
  /** Name → the file that rejects it. */
  readonly rejected: ReadonlyMap<unknown, string>;
  /** Variables that the project's own settings set. */
  readonly variables: ReadonlyMap<string, string>;
  readonly pluginChanged: (plugin: Plugin) => Promise<string | undefined>;
};

async function judgeOne(
  query: ServersQuery,
  context: Context,
  entry: RawServer,
  agent: string | undefined,
): Promise<JudgedServer> {
  const { name, raw, origin, isForeign } = entry;
  const transport = transportOf(raw);
  const no = (status: SkippedServer['status'], reason: string, project?: ProjectServer): JudgedServer => {
    const skipped = { name: shown(name), origin, transport, status, reason: escapeToLine(reason) };
    return { entry, warnings: [], may: false, skipped, ...(project ? { project } : {}) };
  };
  const unusable = whyNotName(name);
  if (unusable !== undefined) return no('skipped', unusable);
  if (context.managedSet.length > 0 && origin.scope !== 'managed') {
    return no('blocked', `only the servers of ${context.managedSet.join(', ')} may run on this machine`);
  }
  const off = whyOff(context, entry);
  if (off !== undefined) return no('off', off);
  const checked =
    (origin.scope === 'library' ? checkInProcess(raw) : undefined) ??
    checkServer(raw, {
      env: isForeign ? query.host.env : (query.ownEnv ?? query.host.env),
      projectRoot: query.projectRoot,
      isForeign,
      ...(entry.plugin === undefined ? {} : { plugin: entry.plugin }),
    });
  if (!checked.ok) return no('skipped', checked.reason);
  const blocked = whyBlocked(name, checked.config, query.settings.mcp);
  if (blocked !== undefined) return no('blocked', blocked);
  const changed = entry.plugin === undefined ? undefined : await context.pluginChanged(entry.plugin);
  if (changed !== undefined) return no('not-approved', changed);
  if (isForeign && entry.plugin === undefined) {
    const variables = checked.uses;
    const values = Object.fromEntries(context.variables);
    const server = { name, origin, raw, variables, values, ...(agent === undefined ? {} : { agent }) };
    const project = await scanServer(server, checked.config, context.scan);
    const why = await whyNotApproved(query, entry, project, context);
    if (why !== undefined) return no('not-approved', why, project);
  }
  return {
    entry,
    warnings: checked.warnings.map(escapeToLine),
    may: true,
    server: configured(query, entry, checked.config),
  };
}

function configured(query: ServersQuery, entry: RawServer, config: ServerConfig): ConfiguredServer {
  const { name, origin, isForeign, plugin } = entry;
  const variables = plugin === undefined ? {} : { variables: pluginEnvironment(plugin) };
  const raw = config.kind === 'in-process' ? {} : { raw: entry.raw };
  return { name, origin, config, ...raw, isForeign, ...variables, projectRoot: query.projectRoot };
}

/** Gives the reason why a plugin's servers must not run now. Checked at every start, because an agent may have changed the plugin. */
function createPluginCheck({ host }: ServersQuery): (plugin: Plugin) => Promise<string | undefined> {
  const results = new Map<string, Promise<string | undefined>>();
  return (plugin) => {
    const before = results.get(plugin.folder);
    if (before !== undefined) return before;
    const result = import('../plugins/plugin-approval.js').then((of) => of.whyPluginChanged(host, plugin));
    results.set(plugin.folder, result);
    return result;
  };
}

const LONGEST_NAME = 200;

function whyNotName(name: string): string | undefined {
  if (name.trim() === '') return 'its name is empty';
  if (name.length > LONGEST_NAME) return `its name is longer than ${LONGEST_NAME} characters`;
  if (escapeToLine(name) !== name) return 'its name has invisible characters';
  return undefined;
}

function shown(name: string): string {
  const visible = escapeToLine(name.slice(0, LONGEST_NAME));
  return name.length > LONGEST_NAME ? `${visible.slice(0, 60)}…` : visible;
}

function whyOff({ state, rejected }: Context, { name, isForeign, origin }: RawServer): string | undefined {
  const by = rejected.get(name) ?? (state.rejected.has(name) ? '~/.claude.json' : undefined);
  if (isForeign && by !== undefined) return `disabledMcpjsonServers (${by}) rejects it`;
  const isAsked = origin.scope === 'managed' || origin.scope === 'library' || origin.scope === 'command line';
  if (!isAsked && state.off.has(name))
    return 'you turned it off for this project (disabledMcpServers in ~/.claude.json)';
  return undefined;
}

async function whyNotApproved(
  query: ServersQuery,
  entry: RawServer,
  project: ProjectServer,
  { approved }: Context,
): Promise<string | undefined> {
  const approve = `coppice mcp approve ${shellWord(entry.name)}`;
  // A server that you added to the local settings with one of our commands is yours, like rules from your answers.
  const isOwn = entry.origin.scope === 'local' && isServerApproved(project, await approved());
  if (isOwn) return undefined;
  const mayIfTrusted = isEnabled(query, entry, project, await approved());
  if (!mayIfTrusted && project.whyNot !== undefined) return `it can't be approved: ${project.whyNot}`;
  if (!query.trusted) return `the folder is not trusted: run coppice trust${mayIfTrusted ? '' : `, then ${approve}`}`;
  return mayIfTrusted ? undefined : `you have not approved its current version: run ${approve}`;
}

/** True if the user approved it, or enabled it by a flag or a setting. */
function isEnabled(query: ServersQuery, entry: RawServer, project: ProjectServer, approvals: Approvals): boolean {
  const hash = approvalHash(serverApproval(project));
  const trustThisRun = query.trusted && query.trustThisRun;
  if (trustThisRun) query.forThisRun?.add(hash);
  if (trustThisRun || query.forThisRun?.has(hash) === true) return true;
  const { enableAllProjectMcpServers, enabledMcpjsonServers = [] } = query.settings.settings;
  // By name, so it stays enabled when it changes: your own settings say so.
  const isListed = enableAllProjectMcpServers === true || enabledMcpjsonServers.includes(entry.name);
  return (entry.isOfMcpJson && isListed) || isServerApproved(project, approvals);
}

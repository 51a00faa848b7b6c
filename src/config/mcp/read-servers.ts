/** Reads the entries of all MCP servers from all sources, strongest first (MC-1). Starts nothing. */

import { join, resolve } from 'node:path';
import type { Environment, Host } from '../../host/host.js';
import { foldersWithin } from '../find-repo-root.js';
import { isInside } from '../path-within.js';
import { managedServerFiles } from '../paths.js';
import type { Plugin } from '../plugins/plugin.js';
import type { SourcedServer } from '../settings/collect-servers.js';
import type { SettingsResult } from '../settings/read-settings.js';
import type { WantedSources } from '../settings/setting-sources.js';
import { type ClaudeState, readClaudeState } from './read-claude-state.js';
import { type NamedValue, parseServers, readServerFile, type ServerFile } from './read-server-file.js';
import type { ServerOrigin, ServerScope } from './server-config.js';

export type ServersQuery = {
  readonly host: Host;
  /** The launch folder: real path. */
  readonly folder: string;
  readonly projectRoot: string;
  /** The project whose approvals apply: for a session in a worktree, the one it was requested in. */
  readonly approvalsRoot: string;
  /**
   * The environment without what the project's settings add. Your own entries are expanded with it, and all servers are
   * started with it. Omitted: that of the host.
   */
  readonly ownEnv?: Environment;
  readonly trusted: boolean;
  /** Links out of the project are not followed, as in a folder that is not trusted. */
  readonly staysInside?: boolean;
  /** `--trust`: the current entries are approved for this run. */
  readonly trustThisRun: boolean;
  /** Records what `trustThisRun` approves, so that it also applies to later queries. */
  readonly forThisRun?: Set<string>;
  readonly settings: SettingsResult;
  readonly sources?: WantedSources;
  /** Files, or JSON. */
  readonly mcpConfig?: readonly string[];
  /** Only `mcpConfig` and `given`. */
  readonly strict?: boolean;
  /** Those whose servers apply. */
  readonly plugins?: readonly Plugin[];
  /** From the library: entries, or objects that are connected in this process. */
  readonly given?: Readonly<Record<string, unknown>>;
};

/** One entry as written. */
export type RawServer = {
  readonly name: string;
  readonly raw: unknown;
  readonly origin: ServerOrigin;
  readonly isForeign: boolean;
  /** From a `.mcp.json`: approvals and rejections by name apply. */
  readonly isOfMcpJson: boolean;
  /** Its plugin, with which it was approved. */
  readonly plugin?: Plugin;
};

export type ServersRead = {
  /** Strongest first. */
  readonly servers: readonly RawServer[];
  /** The managed files, if any. No other servers are allowed then. */
  readonly managedSet: readonly string[];
  readonly state: Pick<ClaudeState, 'off' | 'rejected'>;
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
};

export async function readServers(query: ServersQuery): Promise<ServersRead> {
  const wanted = new Set(query.strict ? [] : (query.sources ?? ['user', 'project', 'local']));
  const [managed, given, ofProject, state] = await Promise.all([
    readManaged(query.host),
    readGiven(query),
    wanted.has('project') ? readMcpJson(query) : NOTHING,
    readClaudeState(query.host, foldersOf(query)),
  ]);
  const ofSettings = (...scopes: readonly SourcedServer['origin']['scope'][]) =>
    query.strict
      ? []
      : query.settings.mcp.servers.filter(({ origin }) => scopes.includes(origin.scope)).map(fromSettings);
  const ofState = (scope: 'local' | 'user') =>
    wanted.has(scope) ? state[scope].map((one) => entry(one, { scope, file: state.file })) : [];
  return {
    servers: [
      ...managed.servers,
      // Managed settings apply regardless of flags.
      ...query.settings.mcp.servers.filter(({ origin }) => origin.scope === 'managed').map(fromSettings),
      ...Object.entries(query.given ?? {}).map((one) => entry(one, { scope: 'library', file: 'mcpServers' })),
      ...given.servers,
      ...ofSettings('command line'),
      ...ofSettings('local'),
      ...ofState('local'),
      ...ofProject.servers,
      ...ofSettings('project'),
      ...ofSettings('user'),
      ...ofState('user'),
      ...(query.strict ? [] : (query.plugins ?? []).flatMap(ofPlugin)),
    ],
    managedSet: managed.files,
    state,
    warnings: [...managed.warnings, ...ofProject.warnings, ...(wanted.size > 0 ? state.warnings : [])],
    errors: given.errors,
  };
}

function foldersOf(query: ServersQuery): readonly string[] {
  return [...foldersWithin(query.projectRoot, query.folder), query.projectRoot, query.approvalsRoot];
}

type Part = { readonly servers: readonly RawServer[]; readonly warnings: readonly string[] };

const NOTHING: Part = { servers: [], warnings: [] };

/** A managed file that can't be read still excludes all other servers, so that damaging it does not bypass it. */
async function readManaged(host: Host): Promise<Part & { readonly files: readonly string[] }> {
  const files = managedServerFiles(host.env);
  const read = await Promise.all(files.map(async (file) => ({ file, found: await readServerFile(host, file) })));
  const there = read.filter(({ found }) => found.kind !== 'absent');
  return { ...collect(there, 'managed'), files: there.map(({ file }) => file) };
}

async function readMcpJson(query: ServersQuery): Promise<Part> {
  // As with agents: in an untrusted folder, links out of the project are not followed.
  const refuse = (real: string) =>
    (query.trusted && !query.staysInside) || isInside(query.projectRoot, real)
      ? undefined
      : 'it is a link to a file outside the project';
  const files = foldersWithin(query.projectRoot, query.folder).map((folder) => join(folder, '.mcp.json'));
  const read = await Promise.all(
    files.map(async (file) => ({ file, found: await readServerFile(query.host, file, refuse) })),
  );
  const { servers, warnings } = collect(read, 'project');
  return { servers: servers.map((one) => ({ ...one, isForeign: true, isOfMcpJson: true })), warnings };
}

/** A flag that can't be read is an error, because its servers were requested explicitly. */
async function readGiven({ host, folder, mcpConfig = [] }: ServersQuery) {
  const read = await Promise.all(
    mcpConfig.map(async (given) => {
      if (given.trimStart().startsWith('{')) return { file: '--mcp-config', found: parseServers(given) };
      const file = resolve(folder, given);
      return { file, found: await readServerFile(host, file) };
    }),
  );
  const errors = read.flatMap(({ file, found }) => {
    if (found.kind === 'read') return [];
    const reason = found.kind === 'absent' ? 'there is no such file' : found.reason;
    return [file === '--mcp-config' ? `--mcp-config: ${reason}` : `--mcp-config: ${file}: ${reason}`];
  });
  return { servers: collect(read, 'command line').servers, errors };
}

function collect(read: readonly { readonly file: string; readonly found: ServerFile }[], scope: ServerScope): Part {
  return {
    servers: read.flatMap(({ file, found }) =>
      found.kind === 'read' ? found.servers.map((one) => entry(one, { scope, file })) : [],
    ),
    warnings: read.flatMap(({ file, found }) => (found.kind === 'refused' ? [`${file}: ${found.reason}`] : [])),
  };
}

function entry([name, raw]: NamedValue, origin: ServerOrigin): RawServer {
  return { name, raw, origin, isForeign: false, isOfMcpJson: false };
}

/** Anybody may have written the files in a project's folder, even `settings.local.json` if it came with a repository. */
function fromSettings({ name, value, origin: { scope, file } }: SourcedServer): RawServer {
  const isForeign = scope === 'project' || scope === 'local';
  return { ...entry([name, value], { scope, file }), isForeign };
}

function ofPlugin(plugin: Plugin): readonly RawServer[] {
  return plugin.servers.flatMap(({ file, servers }) =>
    Object.entries(servers).map(([name, raw]) => ({
      ...entry([`plugin:${plugin.name}:${name}`, raw], { scope: 'plugin', file }),
      isForeign: true,
      plugin,
    })),
  );
}

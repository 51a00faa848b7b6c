/** Reads the entries of all MCP servers, strongest first, from every place they may stand in (MC-1). Starts nothing. */

import { isAbsolute, join, relative, resolve } from 'node:path';
import type { Environment, Host } from '../../host/host.js';
import { foldersWithin } from '../find-repo-root.js';
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
  /** The project whose approvals count: for a session in a worktree, the one it was asked for in. */
  readonly approvalsRoot: string;
  /**
   * The environment without what the project's settings add: entries of the person's own are expanded by it, and all
   * servers are started with it. Omitted: that of the host.
   */
  readonly ownEnv?: Environment;
  readonly trusted: boolean;
  /** Links out of the project are not followed, as in a folder that is not trusted. */
  readonly staysInside?: boolean;
  /** `--trust`: what is there now is approved for this run. */
  readonly trustThisRun: boolean;
  /** What `trustThisRun` approves is noted here, and counts in later questions too. */
  readonly forThisRun?: Set<string>;
  readonly settings: SettingsResult;
  readonly sources?: WantedSources;
  /** Files, or JSON. */
  readonly mcpConfig?: readonly string[];
  /** Only `mcpConfig` and `given`. */
  readonly strict?: boolean;
  /** Those with servers that count. */
  readonly plugins?: readonly Plugin[];
  /** Of the library: entries, or objects that are connected in this process. */
  readonly given?: Readonly<Record<string, unknown>>;
};

/** One entry as it is written. */
export type RawServer = {
  readonly name: string;
  readonly raw: unknown;
  readonly origin: ServerOrigin;
  readonly isForeign: boolean;
  /** In a `.mcp.json`: approvals and rejections by name count. */
  readonly isOfMcpJson: boolean;
  /** It was approved with the plugin it is in. */
  readonly plugin?: Plugin;
};

export type ServersRead = {
  /** Strongest first. */
  readonly servers: readonly RawServer[];
  /** The files that are the whole set, if there are any. */
  readonly managedSet: readonly string[];
  readonly state: Pick<ClaudeState, 'off' | 'rejected'>;
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
};

export async function readServers(q: ServersQuery): Promise<ServersRead> {
  const wanted = new Set(q.strict ? [] : (q.sources ?? ['user', 'project', 'local']));
  const [managed, given, ofProject, state] = await Promise.all([
    readManaged(q.host),
    readGiven(q),
    wanted.has('project') ? readMcpJson(q) : NOTHING,
    readClaudeState(q.host, foldersOf(q)),
  ]);
  const ofSettings = (...scopes: readonly SourcedServer['origin']['scope'][]) =>
    q.strict ? [] : q.settings.mcp.servers.filter(({ origin }) => scopes.includes(origin.scope)).map(fromSettings);
  const ofState = (scope: 'local' | 'user') =>
    wanted.has(scope) ? state[scope].map((one) => entry(one, { scope, file: state.file })) : [];
  return {
    servers: [
      ...managed.servers,
      // Managed settings are read whatever the flags say.
      ...q.settings.mcp.servers.filter(({ origin }) => origin.scope === 'managed').map(fromSettings),
      ...Object.entries(q.given ?? {}).map((one) => entry(one, { scope: 'library', file: 'mcpServers' })),
      ...given.servers,
      ...ofSettings('command line'),
      ...ofSettings('local'),
      ...ofState('local'),
      ...ofProject.servers,
      ...ofSettings('project'),
      ...ofSettings('user'),
      ...ofState('user'),
      ...(q.strict ? [] : (q.plugins ?? []).flatMap(ofPlugin)),
    ],
    managedSet: managed.files,
    state,
    warnings: [...managed.warnings, ...ofProject.warnings, ...(wanted.size > 0 ? state.warnings : [])],
    errors: given.errors,
  };
}

function foldersOf(q: ServersQuery): readonly string[] {
  return [...foldersWithin(q.projectRoot, q.folder), q.projectRoot, q.approvalsRoot];
}

type Part = { readonly servers: readonly RawServer[]; readonly warnings: readonly string[] };

const NOTHING: Part = { servers: [], warnings: [] };

/** A file that is there and can't be read is still the whole set: nobody gets around it by damaging it. */
async function readManaged(host: Host): Promise<Part & { readonly files: readonly string[] }> {
  const files = managedServerFiles(host.env);
  const read = await Promise.all(files.map(async (file) => ({ file, found: await readServerFile(host, file) })));
  const there = read.filter(({ found }) => found.kind !== 'absent');
  return { ...collect(there, 'managed'), files: there.map(({ file }) => file) };
}

async function readMcpJson(q: ServersQuery): Promise<Part> {
  // As with agents: before the folder is trusted, its links lead nowhere else.
  const refuse = (real: string) =>
    (q.trusted && !q.staysInside) || isInside(q.projectRoot, real)
      ? undefined
      : 'it is a link to a file outside the project';
  const files = foldersWithin(q.projectRoot, q.folder).map((folder) => join(folder, '.mcp.json'));
  const read = await Promise.all(
    files.map(async (file) => ({ file, found: await readServerFile(q.host, file, refuse) })),
  );
  const { servers, warnings } = collect(read, 'project');
  return { servers: servers.map((one) => ({ ...one, isForeign: true, isOfMcpJson: true })), warnings };
}

/** A flag that can't be read is an error: who gave it wants these servers. */
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

/** Files in the project's folder may be anybody's; `settings.local.json` too, if it came with a repository. */
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

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

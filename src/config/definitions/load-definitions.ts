/** Loads all definitions of a session: the winner for each name, those it shadows, and every problem (AG-4, AG-5). */

import { dirname, join } from 'node:path';
import type { Host } from '../../host/host.js';
import { foldersUpward } from '../find-repo-root.js';
import type { Plugin } from '../plugins/plugin.js';
import { replaceInText } from '../plugins/plugin-placeholders.js';
import type { Problem } from '../problem.js';
import type { SourcedAgent } from '../settings/collect-sources.js';
import { isRead, type WantedSources } from '../settings/setting-sources.js';
import type { AgentDefinition, DefinitionSource } from './agent-definition.js';
import { DefinitionCache } from './definition-cache.js';
import { type FoundFiles, findDefinitionFiles, stampAll, stampOf } from './find-definition-files.js';
import { loadFiles } from './load-files.js';

export type LoadedDefinitions = {
  readonly definitions: ReadonlyMap<string, AgentDefinition>;
  readonly shadowed: readonly ShadowedDefinition[];
  readonly problems: readonly Problem[];
  /** The state of the files when they were loaded, for `definitionsWatch` to compare with. */
  readonly stamp: string;
};

type ShadowedDefinition = { readonly definition: AgentDefinition; readonly by: DefinitionSource };

type Loaded = {
  readonly definitions: readonly AgentDefinition[];
  readonly problems: readonly Problem[];
  readonly found?: FoundFiles;
};

export async function loadDefinitions(query: DefinitionsQuery): Promise<LoadedDefinitions> {
  const sources = await rankSources(query);
  const loaded = await Promise.all(sources.map((source) => loadSource(query.host, source)));
  const definitions = new Map<string, AgentDefinition>();
  const shadowed: ShadowedDefinition[] = [];
  const problems: Problem[] = [];
  for (const source of loaded) {
    problems.push(...source.problems);
    for (const definition of source.definitions) {
      const winner = definitions.get(definition.name);
      if (winner === undefined) definitions.set(definition.name, definition);
      else {
        shadowed.push({ definition, by: winner.source });
        if (source.definitions.includes(winner)) problems.push(twice(definition, winner));
      }
    }
  }
  return { definitions, shadowed, problems, stamp: stampAll(loaded.flatMap(({ found }) => found ?? [])) };
}

/**
 * Returns a function that resolves with true if definition files changed since its last call or, the first time, since
 * they were loaded. It reads names and times only.
 */
export function definitionsWatch(
  query: DefinitionsQuery,
  { stamp }: Pick<LoadedDefinitions, 'stamp'>,
): () => Promise<boolean> {
  let last = stamp;
  return async () => {
    const sources = await rankSources(query);
    const folders = sources.filter((source) => source.kind === 'folder');
    const now = stampAll(await Promise.all(folders.map((source) => findFiles(query.host, source))));
    const changed = last !== now;
    last = now;
    return changed;
  };
}

async function loadSource(host: Host, source: RankedSource): Promise<Loaded> {
  switch (source.kind) {
    case 'folder':
      return withoutActiveFields(await loadFolder(host, source));
    case 'json': {
      const { parseJsonDefinitions } = await import('./parse-json-definitions.js');
      return withoutActiveFields(parseJsonDefinitions(source.value, source.source));
    }
    case 'setting': {
      const { parseJsonDefinition } = await import('./parse-json-definitions.js');
      const { definition, problems } = parseJsonDefinition(source.name, source.value, source.source);
      return withoutActiveFields({ definitions: definition === undefined ? [] : [definition], problems });
    }
    default:
      return source satisfies never;
  }
}

async function loadFolder(host: Host, source: RankedSource & { kind: 'folder' }): Promise<Loaded> {
  // Read by another thread while this one scans the folder. It never rejects.
  const opening = DefinitionCache.open<AgentDefinition>(host, source.folder);
  const { files, problems } = await findFiles(host, source);
  if (files.length === 0) return { definitions: [], problems, found: { files, problems } };
  const loaded = await loadFiles<AgentDefinition>(files, {
    host,
    cache: await opening,
    originOf: ({ file }) => ({ source: { ...source.source, file } }),
    parser: async () => {
      const { parseDefinition } = await import('./parse-definition.js');
      return (text, origin) => parseDefinition(text, origin.source);
    },
  });
  return {
    definitions: loaded.definitions.map((definition) => named(definition, source)),
    problems: [...problems, ...loaded.problems],
    found: { files, problems },
  };
}

async function findFiles(
  host: Host,
  { folder, within, plugin }: RankedSource & { kind: 'folder' },
): Promise<FoundFiles> {
  const single = plugin === undefined ? undefined : await host.files.stat(folder).catch(() => undefined);
  if (single?.kind === 'file')
    return { files: [{ file: folder, folder: dirname(folder), stamp: stampOf(single) }], problems: [] };
  return findDefinitionFiles(host, folder, within === undefined ? {} : { within });
}

function named(definition: AgentDefinition, { plugin }: RankedSource & { kind: 'folder' }): AgentDefinition {
  if (plugin === undefined) return definition;
  const prompt = replaceInText(definition.prompt, plugin);
  return { ...definition, name: `${plugin.name}:${definition.name}`, prompt };
}

const ACTIVE_FIELDS = ['hooks', 'mcpServers', 'permissionMode'] as const;

/** Definitions of plugins and untrusted projects must not start anything or widen permissions (GT-2, EX-6). */
function withoutActiveFields({ definitions, problems, ...more }: Loaded): Loaded {
  const reported: Problem[] = [...problems];
  const harmless = definitions.map((definition) => {
    const { source } = definition;
    if (source.trusted && source.scope !== 'plugin') return definition;
    const removed = ACTIVE_FIELDS.filter((field) => definition[field] !== undefined);
    if (removed.length === 0) return definition;
    const { hooks: _hooks, mcpServers: _servers, permissionMode: _mode, ...rest } = definition;
    const reason = source.scope === 'plugin' ? 'it comes from a plugin' : 'the folder is not trusted';
    const message = `${reason}, so these fields are ignored: ${removed.join(', ')}`;
    const untrusted = source.scope === 'plugin' ? {} : ({ untrusted: true } as const);
    reported.push({ severity: 'warning', file: source.file, message, ...untrusted });
    return rest;
  });
  return { ...more, definitions: harmless, problems: reported };
}

function twice(definition: AgentDefinition, winner: AgentDefinition): Problem {
  const message = `the name "${definition.name}" is already used by ${winner.source.file}, which wins: rename one of them`;
  return { severity: 'warning', file: definition.source.file, line: 1, message };
}

export type DefinitionsQuery = {
  readonly host: Host;
  readonly cwd: string;
  /** Undefined outside a repository: then only `.claude/agents` of the working folder is read. */
  readonly repoRoot?: string;
  /** The user's config folder (`~/.claude`). Undefined: not read. */
  readonly userDir?: string;
  /** The value of `--agents`: JSON text or an object. */
  readonly flagAgents?: unknown;
  /** The `agents` keys of all settings files, as `readSettings` returns them. */
  readonly settingsAgents?: readonly SourcedAgent[];
  readonly plugins?: readonly PluginAgents[];
  /** Additional definition folders. They take precedence over the project's. */
  readonly folders?: readonly string[];
  /** If false, the project's definitions can't act and can't replace others. */
  readonly trusted: boolean;
  /** Links in the project that point outside it are not followed, even if it is trusted. */
  readonly staysInside?: boolean;
  /** Folders of other sources are not read. */
  readonly sources?: WantedSources;
};

type PluginAgents = Pick<Plugin, 'name' | 'folder' | 'agents' | 'variables' | 'options'>;

type RankedSource =
  | {
      readonly kind: 'folder';
      /** A plugin's may also be a single file. */
      readonly folder: string;
      readonly source: Omit<DefinitionSource, 'file'>;
      readonly within?: string;
      readonly plugin?: PluginAgents;
    }
  | { readonly kind: 'json'; readonly value: unknown; readonly source: DefinitionSource }
  | { readonly kind: 'setting'; readonly name: string; readonly value: unknown; readonly source: DefinitionSource };

export async function rankSources(query: DefinitionsQuery): Promise<readonly RankedSource[]> {
  const { flagAgents, trusted, sources } = query;
  const userDir = isRead(sources, 'user') ? query.userDir : undefined;
  const folder = (path: string, scope: DefinitionSource['scope']): RankedSource => ({
    kind: 'folder',
    folder: path,
    source: { scope, trusted: true },
  });
  const project = [
    ...settingsOf(query, 'local', 'project'),
    ...(isRead(sources, 'project') ? await projectFolders(query, userDir) : []),
    ...settingsOf(query, 'project', 'project'),
  ];
  const flag: readonly RankedSource[] =
    flagAgents === undefined
      ? []
      : [{ kind: 'json', value: flagAgents, source: { scope: 'flag', file: '--agents', trusted: true } }];
  return [
    ...settingsOf(query, 'managed', 'managed'),
    ...flag,
    ...settingsOf(query, 'command line', 'flag'),
    ...(query.folders ?? []).map((path) => folder(path, 'flag')),
    ...(trusted ? project : []),
    ...(userDir === undefined ? [] : [folder(join(userDir, 'agents'), 'user')]),
    ...settingsOf(query, 'user', 'user'),
    ...(query.plugins ?? []).flatMap(ofPlugin),
    ...(trusted ? [] : project),
  ];
}

function ofPlugin(plugin: PluginAgents): readonly RankedSource[] {
  const source = { scope: 'plugin', trusted: true, plugin: plugin.name } as const;
  return plugin.agents.map((path) => ({ kind: 'folder', folder: path, source, within: plugin.folder, plugin }));
}

/** `.claude/agents` from the working folder up to the repository's root, nearest first. */
async function projectFolders(
  { host, cwd, repoRoot, trusted, staysInside = !trusted }: DefinitionsQuery,
  userDir: string | undefined,
): Promise<readonly RankedSource[]> {
  const upward = foldersUpward(cwd);
  const top = repoRoot === undefined ? 0 : upward.indexOf(repoRoot);
  const folders = upward.slice(0, Math.max(0, top) + 1);
  const root = folders.at(-1) ?? cwd;
  const own = userDir === undefined ? undefined : await identity(host, join(userDir, 'agents'));
  const ranked: RankedSource[] = [];
  for (const folder of folders) {
    const agents = join(folder, '.claude', 'agents');
    // In the home folder, the project's agents are the user's own agents: read them once, as the user's.
    if (own !== undefined && (await identity(host, agents)) === own) continue;
    const within = staysInside ? await host.files.realpath(root).catch(() => root) : undefined;
    ranked.push({
      kind: 'folder',
      folder: agents,
      source: { scope: 'project', trusted },
      ...(within === undefined ? {} : { within }),
    });
  }
  return ranked;
}

async function identity(host: Host, path: string): Promise<string | undefined> {
  return (await host.files.stat(path).catch(() => undefined))?.identity;
}

function settingsOf(
  { settingsAgents = [], trusted }: DefinitionsQuery,
  origin: SourcedAgent['origin']['scope'],
  scope: DefinitionSource['scope'],
): readonly RankedSource[] {
  return settingsAgents
    .filter((agent) => agent.origin.scope === origin)
    .map(({ name, value, origin: { file } }) => ({
      kind: 'setting',
      name,
      value,
      source: { scope, file, trusted: scope === 'project' ? trusted : true },
    }));
}

/** Returns a function that resolves with true if that happened since this call. */
export function movedFolders(query: DefinitionsQuery): () => Promise<boolean> {
  const before = stampFolders(query);
  return async () => (await stampFolders(query)) !== (await before);
}

async function stampFolders(query: DefinitionsQuery): Promise<string> {
  const folders = (await rankSources(query)).flatMap((source) => (source.kind === 'folder' ? [source.folder] : []));
  const stats = await Promise.all(folders.map((folder) => query.host.files.stat(folder).catch(() => undefined)));
  return JSON.stringify(stats.map((stat) => stat && [stat.identity, stat.mtimeMs, stat.ctimeMs]));
}

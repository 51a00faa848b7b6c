/** Reads, checks and merges all settings files of a session. Every value carries its origin. */

import { dirname } from 'node:path';
import type { Environment, Host } from '../../host/host.js';
import { configDir, localSettingsFile, managedSettingsFile, projectSettingsFile, userSettingsFile } from '../paths.js';
import type { Problem } from '../problem.js';
import { answeredRules } from './answered-rules.js';
import { type CheckedSettings, checkSettingsText, checkSettingsValue } from './check-settings.js';
import type { PluginSettings } from './collect-plugins.js';
import { collectServers, type ServerSettings } from './collect-servers.js';
import { collectSources, type SettingSources } from './collect-sources.js';
import { isOfProject, type Layer, mergeSettings, type Origin, type SettingEntry } from './merge-settings.js';
import { readSettingsFile } from './read-settings-file.js';
import { type IgnoredSetting, restrictProject } from './restrict-project.js';
import { isRead, type SettingSource, type WantedSources } from './setting-sources.js';
import type { Settings } from './settings-table.js';

export type SettingsQuery = {
  readonly host: Host;
  readonly cwd: string;
  /** The folder whose `.claude/` belongs to the project. */
  readonly projectRoot: string;
  readonly env: Environment;
  /** The settings given by flags, in the same shape as a file. */
  readonly commandLine?: object;
  /** The text given with `--settings`, and its name in messages. Flags override it. */
  readonly commandLineText?: { readonly text: string; readonly name: string };
  /** The user and project files to read; all if omitted. Managed settings and the command line always apply. */
  readonly sources?: WantedSources;
  readonly trusted: boolean;
};

export type SettingsResult = SettingSources & {
  /** MCP settings of all files, even if the folder is not trusted: approval is decided from them. */
  readonly mcp: ServerSettings;
  /** Plugin settings of all files, even if the folder is not trusted. */
  readonly plugins: PluginSettings;
  /** The effective values. */
  readonly settings: Settings;
  readonly entries: readonly SettingEntry[];
  /** Variables that no file of the project sets, for your own servers. */
  readonly ownEnvironment: Readonly<Record<string, string>>;
  /** If not empty, the program must not continue with these settings. */
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Project settings that were ignored. `warnings` reports them too, one line for each reason. */
  readonly ignored: readonly (IgnoredSetting & { readonly origin: Origin })[];
  /** Keys of the common settings format that have no effect here. */
  readonly unsupported: readonly ForeignKey[];
  readonly unknown: readonly ForeignKey[];
  /** The applicable settings of each file and of the command line, highest first. */
  readonly layers: readonly Layer[];
  /** The files that exist. */
  readonly files: readonly Origin[];
};

type ForeignKey = { readonly key: string; readonly origin: Origin };

type CheckedLayer = { readonly origin: Origin; readonly checked: CheckedSettings };

export async function readSettings(query: SettingsQuery): Promise<SettingsResult> {
  const checked = await checkLayers(query);
  const layers = checked.flatMap(({ origin, checked: { settings } }): readonly Layer[] =>
    settings === undefined ? [] : [{ origin, settings: withoutBypass(settings, origin) }],
  );
  const own = mergeSettings(layers.filter((layer) => !isOfProject(layer.origin))).settings;
  const hasLocalRules = layers.some(({ origin, settings }) => origin.scope === 'local' && settings.permissions?.allow);
  const answered = hasLocalRules && !query.trusted ? await answeredRules(query.host, query.projectRoot) : [];
  const restricted = layers.map((layer) => {
    if (!isOfProject(layer.origin)) return { layer, ignored: [] };
    const { settings, ignored } = restrictProject(
      layer.settings,
      own,
      query.trusted,
      layer.origin.scope === 'local' ? answered : [],
    );
    return {
      layer: { origin: layer.origin, settings },
      ignored: ignored.map((one) => ({ ...one, origin: layer.origin })),
    };
  });
  const ignored = restricted.flatMap((one) => one.ignored);
  const applicable = restricted.map((one) => one.layer);
  const merged = mergeSettings(applicable);
  const problems = checked.flatMap((one) => one.checked.problems);
  const unknown = foreign(checked, 'unknown');
  return {
    ...merged,
    ...collectSources(merged.entries, applicable, query),
    layers: applicable,
    ownEnvironment: own.env ?? {},
    mcp: collectServers(layers),
    plugins: await findPluginSettings(layers, query),
    errors: problems.filter((problem) => problem.severity === 'error'),
    warnings: [
      ...problems.filter((problem) => problem.severity === 'warning'),
      ...checked.flatMap(bypassWarning),
      ...ignoredWarnings(ignored, query.projectRoot),
      ...unknownWarning(unknown),
    ],
    ignored,
    unsupported: foreign(checked, 'unsupported'),
    unknown,
    files: checked.map((one) => one.origin),
  };
}

const NO_PLUGINS: PluginSettings = { named: [], enabled: [], marketplaces: [], options: new Map() };

/** Loads the plugin code only if a file mentions plugins. */
async function findPluginSettings(layers: readonly Layer[], query: SettingsQuery): Promise<PluginSettings> {
  const isNamed = layers.some(
    ({ settings: { plugins, enabledPlugins, extraKnownMarketplaces, pluginConfigs } }) =>
      plugins ?? enabledPlugins ?? extraKnownMarketplaces ?? pluginConfigs,
  );
  return isNamed ? (await import('./collect-plugins.js')).collectPlugins(layers, query) : NO_PLUGINS;
}

async function checkLayers(query: SettingsQuery): Promise<readonly CheckedLayer[]> {
  const { host, env, cwd, projectRoot: root, commandLine, commandLineText } = query;
  const wants = (source: SettingSource) => isRead(query.sources, source);
  const managed = managedSettingsFile(env);
  const user = userSettingsFile(env);
  const project = projectSettingsFile(root);
  const read = async (use: boolean, scope: Origin['scope'], file: string, folder: string) => {
    const found = use ? await readSettingsFile(host, file) : { kind: 'absent' as const };
    if (found.kind === 'absent') return [];
    const origin = { scope, file, folder };
    const skipped = isOfProject(origin) && !query.trusted;
    const checked = found.kind === 'text' ? checkSettingsText(found.text, file) : unreadable(found.problem, skipped);
    return [{ origin, checked }];
  };
  // In the home folder, the project's file is the user's own file: read it once, as the user's.
  const same = wants('user') && (await isSameFile(host, user, project));
  const flags = { scope: 'command line', file: 'command line', folder: cwd } as const;
  const given = commandLineText && { scope: 'command line' as const, file: commandLineText.name, folder: cwd };
  const layers = await Promise.all([
    read(true, 'managed', managed, dirname(managed)),
    commandLine === undefined ? [] : [{ origin: flags, checked: checkSettingsValue(commandLine, flags.file) }],
    given === undefined ? [] : [{ origin: given, checked: checkSettingsText(commandLineText?.text ?? '', given.file) }],
    read(wants('local'), 'local', localSettingsFile(root), root),
    read(wants('project') && !same, 'project', project, root),
    read(wants('user'), 'user', user, configDir(env)),
  ]);
  return layers.flat();
}

/** An untrusted project must not be able to prevent the program from starting (GT-32). */
function unreadable(problem: Problem, skipped: boolean): CheckedSettings {
  const reported: Problem = skipped
    ? { ...problem, severity: 'warning', message: `skipped: ${problem.message}` }
    : problem;
  return { settings: undefined, unsupported: [], unknown: [], problems: [reported] };
}

async function isSameFile(host: Host, a: string, b: string): Promise<boolean> {
  if (a === b) return true;
  try {
    const [one, other] = await Promise.all([host.files.stat(a), host.files.stat(b)]);
    return one !== undefined && one.identity === other?.identity;
  } catch {
    return false;
  }
}

/** No file can turn off all prompts: only the command line can, each time (GT-5). */
function withoutBypass(settings: Settings, origin: Origin): Settings {
  if (!asksForBypass(settings, origin)) return settings;
  const { defaultMode: _, ...permissions } = settings.permissions ?? {};
  return { ...settings, permissions };
}

function asksForBypass(settings: Settings | undefined, origin: Origin): boolean {
  if (origin.scope === 'command line' || isOfProject(origin)) return false;
  return settings?.permissions?.defaultMode === 'bypassPermissions';
}

function bypassWarning({ origin, checked }: CheckedLayer): readonly Problem[] {
  if (!asksForBypass(checked.settings, origin)) return [];
  const message =
    'permissions.defaultMode: bypassPermissions is ignored here: set it on the command line (--permission-mode)';
  return [{ severity: 'warning', file: origin.file, message }];
}

function ignoredWarnings(ignored: SettingsResult['ignored'], root: string): readonly Problem[] {
  // Servers are judged one by one and have their own warnings.
  const untrusted = ignored.filter((one) => one.reason === 'untrusted' && one.key !== 'mcpServers');
  const never = ignored.filter((one) => one.reason !== 'untrusted');
  const warnings: Problem[] = [];
  if (untrusted.length > 0) {
    const message = `the folder is not trusted, so these settings are ignored: ${keys(untrusted)} (trust the folder, or start with --trust)`;
    warnings.push({ severity: 'warning', file: root, message });
  }
  if (never.length > 0) {
    const message = `a project can't set these, so they are ignored: ${keys(never)} (set them in your own settings)`;
    warnings.push({ severity: 'warning', file: root, message });
  }
  return warnings;
}

function unknownWarning(unknown: readonly ForeignKey[]): readonly Problem[] {
  const [first] = unknown;
  if (first === undefined) return [];
  const files = new Set(unknown.map((one) => one.origin.file));
  const where = files.size === 1 ? '' : ` (in ${[...files].join(', ')})`;
  return [
    { severity: 'warning', file: first.origin.file, message: `unknown settings ignored: ${keys(unknown)}${where}` },
  ];
}

function keys(list: readonly { readonly key: string }[]): string {
  return [...new Set(list.map((one) => one.key))].join(', ');
}

function foreign(checked: readonly CheckedLayer[], kind: 'unknown' | 'unsupported'): readonly ForeignKey[] {
  return checked.flatMap(({ origin, checked: one }) => one[kind].map((key) => ({ key, origin })));
}

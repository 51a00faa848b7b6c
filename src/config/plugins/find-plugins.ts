/** Finds the plugins that flags and settings name, and reads them (EX-18). Nothing is downloaded, and nothing runs. */

import { basename, resolve } from 'node:path';
import type { Host } from '../../host/host.js';
import { plural } from '../../protocol/format-numbers.js';
import { joinSome } from '../../protocol/text/one-line.js';
import { formatProblem } from '../problem.js';
import type { PluginSettings } from '../settings/collect-plugins.js';
import { isOfProject, type Origin } from '../settings/merge-settings.js';
import { findByKey } from './find-marketplace.js';
import type { Plugin } from './plugin.js';
import { type ReadPlugin, readPlugin } from './read-plugin.js';

export type PluginsQuery = {
  readonly host: Host;
  /** `--plugin-dir`, and the folder they are relative to. */
  readonly pluginDirs: readonly string[];
  readonly folder: string;
  readonly projectRoot: string;
  /** The project whose approvals apply: for a session in a worktree, the one it was requested in. */
  readonly approvalsRoot: string;
  /** In an untrusted folder, a project's proposals are not even read. */
  readonly trusted: boolean;
  /** `--trust`: plugins from `--plugin-dir` are approved for this run. */
  readonly trustThisRun: boolean;
  readonly settings: PluginSettings;
};

export type FoundPlugin = {
  readonly read: ReadPlugin;
  readonly origin: Plugin['origin'];
  /** Only a project names it, so it has no effect until you approve it (EX-19). */
  readonly isProposed: boolean;
  /** Your options for it, on top of its defaults. */
  readonly options: Readonly<Record<string, string>>;
};

export type PluginsFound = {
  /** By name; your own first. */
  readonly plugins: readonly FoundPlugin[];
  readonly warnings: readonly string[];
  /** If not empty, the session must not open: a flag names a plugin that can't be used. */
  readonly errors: readonly string[];
};

/** More than anybody uses; a hostile project must not stall us. */
const MOST_PROPOSED = 50;

export async function findPlugins(query: PluginsQuery): Promise<PluginsFound> {
  const search = new Search(query);
  for (const written of query.pluginDirs) await search.addFlag(written);
  const { named, enabled } = query.settings;
  for (const { paths, written, origin } of named.filter((one) => !isOfProject(one.origin)))
    await search.addNamed(paths, written, origin);
  const disabledBy = disabledIn(query);
  const ofUser = strongest(enabled.filter((one) => !isOfProject(one.origin)));
  for (const { key, value, origin } of ofUser) {
    const file = value ? disabledBy(key, origin) : undefined;
    if (file !== undefined) search.warnings.push(`plugin ${key} is off here: ${file} disables it`);
    else if (value) await search.addEnabled(key, origin, false);
  }
  if (query.trusted) {
    const refused = new Set(ofUser.filter(({ value }) => !value).map(({ key }) => key));
    const wanted = strongest(enabled.filter((one) => isOfProject(one.origin)));
    const proposed = [
      ...named.filter((one) => isOfProject(one.origin)),
      ...wanted.filter(({ key, value }) => value && !refused.has(key) && !search.keys.has(key)),
    ];
    if (proposed.length > MOST_PROPOSED)
      search.warnings.push(
        `this project proposes ${proposed.length} plugins: only the first ${MOST_PROPOSED} are considered`,
      );
    for (const one of proposed.slice(0, MOST_PROPOSED)) {
      if ('key' in one) await search.addEnabled(one.key, one.origin, true);
      else await search.addNamed(one.paths, one.written, one.origin);
    }
  }
  return search.result();
}

type Enabled = PluginSettings['enabled'][number];

function strongest(enabled: readonly Enabled[]): readonly Enabled[] {
  const seen = new Set<string>();
  return enabled.filter(({ key }) => !seen.has(key) && seen.add(key));
}

/** You can turn off one of your plugins for a project in its local settings. A repository can't. */
function disabledIn({ settings, trusted }: PluginsQuery): (key: string, origin: Origin) => string | undefined {
  const local = new Map(
    settings.enabled.filter(({ origin }) => origin.scope === 'local').map(({ key, ...one }) => [key, one]),
  );
  return (key, origin) => {
    const entry = local.get(key);
    const isDisabled = trusted && origin.scope === 'user' && entry?.value === false;
    return isDisabled ? entry.origin.file : undefined;
  };
}

class Search {
  readonly warnings: string[] = [];
  /** Enabled by you. */
  readonly keys = new Set<string>();
  readonly #query: PluginsQuery;
  readonly #found = new Map<string, FoundPlugin>();
  readonly #errors: string[] = [];
  readonly #absent: string[] = [];

  constructor(query: PluginsQuery) {
    this.#query = query;
  }

  result(): PluginsFound {
    const warnings = [...this.warnings, ...describeAbsent(this.#absent)];
    return { plugins: [...this.#found.values()], warnings, errors: this.#errors };
  }

  /** A flag names this plugin explicitly, so it is an error if it can't be loaded. */
  async addFlag(written: string): Promise<void> {
    const folder = await this.#folderAt([resolve(this.#query.folder, written)]);
    const read = folder === undefined ? NO_FOLDER : await readPlugin(this.#query.host, folder, basename(folder));
    if (!read.ok) this.#errors.push(`--plugin-dir ${written}: ${read.reason}`);
    else this.#add(read.plugin, { scope: 'flag', file: '--plugin-dir' }, undefined);
  }

  async addNamed(paths: readonly string[], written: string, origin: Origin): Promise<void> {
    const folder = await this.#folderAt(paths);
    if (folder === undefined)
      this.warnings.push(`plugin ${written} (${origin.file}) is not loaded: ${NO_FOLDER.reason}`);
    else await this.#read(folder, origin, undefined);
  }

  async addEnabled(key: string, origin: Origin, isProposed: boolean): Promise<void> {
    if (!isProposed) this.keys.add(key);
    const { host, settings } = this.#query;
    const found = await findByKey(host, key, { marketplaces: settings.marketplaces, isProposed });
    if (found.ok) await this.#read(found.folder, origin, key);
    else if (found.problem === undefined) this.#absent.push(`${key} (${origin.file})`);
    else this.warnings.push(`plugin ${key} (${origin.file}) is not loaded: ${found.problem}`);
  }

  async #read(folder: string, origin: Origin, key: string | undefined): Promise<void> {
    const read = await readPlugin(this.#query.host, folder, key?.slice(0, key.lastIndexOf('@')) ?? basename(folder));
    if (!read.ok) this.warnings.push(`plugin ${folder} (${origin.file}) is not loaded: ${read.reason}`);
    else this.#add(read.plugin, { scope: scopeOf(origin), file: origin.file }, key);
  }

  #add(read: ReadPlugin, origin: Plugin['origin'], key: string | undefined): void {
    const before = this.#found.get(read.name);
    if (before !== undefined) {
      if (before.read.folder !== read.folder)
        this.warnings.push(
          `plugin ${read.name} at ${read.folder} (${origin.file}) is not loaded: ${before.read.folder} has the same name`,
        );
      return;
    }
    const { options } = this.#query.settings;
    const set = { ...options.get(read.name), ...(key === undefined ? {} : options.get(key)) };
    const isProposed = origin.scope === 'project' || origin.scope === 'local';
    this.warnings.push(...read.problems.map(formatProblem));
    this.#found.set(read.name, { read, origin, isProposed, options: { ...read.defaults, ...set } });
  }

  async #folderAt(paths: readonly string[]): Promise<string | undefined> {
    const { files } = this.#query.host;
    for (const path of paths) {
      const real = await files.realpath(path).catch(() => undefined);
      const stat = real === undefined ? undefined : await files.stat(real).catch(() => undefined);
      if (stat?.kind === 'folder') return real;
    }
    return undefined;
  }
}

const NO_FOLDER = { ok: false as const, reason: 'there is no such folder' };

function scopeOf({ scope }: Origin): Plugin['origin']['scope'] {
  return scope === 'command line' ? 'flag' : scope;
}

/** One message for all of them. */
function describeAbsent(absent: readonly string[]): readonly string[] {
  if (absent.length === 0) return [];
  const are = plural(absent.length, 'enabled plugin is', 'enabled plugins are');
  return [
    `${are} not on this disk, and coppice does not download plugins: ${joinSome(absent, 5)}. ` +
      'Download it and add its folder to the setting "plugins", or set it to false in enabledPlugins.',
  ];
}

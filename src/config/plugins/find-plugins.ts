/** Finds the plugins that flags and settings name, and reads them (EX-18). Nothing is downloaded, and nothing runs. */

import { basename, resolve } from 'node:path';
import type { Host } from '../../host/host.js';
import { plural } from '../../protocol/format-numbers.js';
import { formatProblem } from '../problem.js';
import { isOfProject, type PluginSettings } from '../settings/collect-plugins.js';
import type { Origin } from '../settings/merge-settings.js';
import { findByKey } from './find-marketplace.js';
import type { Plugin } from './plugin.js';
import { type ReadPlugin, readPlugin } from './read-plugin.js';

export type PluginsQuery = {
  readonly host: Host;
  /** `--plugin-dir`, and the folder they are relative to. */
  readonly pluginDirs: readonly string[];
  readonly folder: string;
  readonly projectRoot: string;
  /** The project whose approvals count: for a session in a worktree, the one it was asked for in. */
  readonly approvalsRoot: string;
  /** In a folder that is not trusted, nothing that a project proposes is even looked at. */
  readonly trusted: boolean;
  /** `--trust`: what `--plugin-dir` gives is approved for this run. */
  readonly trustThisRun: boolean;
  readonly settings: PluginSettings;
};

export type FoundPlugin = {
  readonly read: ReadPlugin;
  readonly origin: Plugin['origin'];
  /** Only a project names it: it is nothing before the person approves it (EX-19). */
  readonly isProposed: boolean;
  /** What the person set for it, over its defaults. */
  readonly options: Readonly<Record<string, string>>;
};

export type PluginsFound = {
  /** By name; the person's own first. */
  readonly plugins: readonly FoundPlugin[];
  readonly warnings: readonly string[];
  /** If not empty, the session must not open: a flag names what can't be used. */
  readonly errors: readonly string[];
};

/** A person has dozens; a hostile project must not keep us. */
const MOST_PROPOSED = 50;

export async function findPlugins(q: PluginsQuery): Promise<PluginsFound> {
  const search = new Search(q);
  for (const written of q.pluginDirs) await search.addFlag(written);
  const { named, enabled } = q.settings;
  for (const { paths, written, origin } of named.filter((one) => !isOfProject(one.origin)))
    await search.addNamed(paths, written, origin);
  const isOff = offIn(q);
  const ofPerson = strongest(enabled.filter((one) => !isOfProject(one.origin)));
  for (const { key, value, origin } of ofPerson) {
    const off = value ? isOff(key, origin) : undefined;
    if (off !== undefined) search.warnings.push(`plugin ${key} is off here: ${off} says so`);
    else if (value) await search.addEnabled(key, origin, false);
  }
  if (q.trusted) {
    const refused = new Set(ofPerson.filter(({ value }) => !value).map(({ key }) => key));
    const wanted = strongest(enabled.filter((one) => isOfProject(one.origin)));
    const proposed = [
      ...named.filter((one) => isOfProject(one.origin)),
      ...wanted.filter(({ key, value }) => value && !refused.has(key) && !search.keys.has(key)),
    ];
    if (proposed.length > MOST_PROPOSED)
      search.warnings.push(`this project proposes ${proposed.length} plugins: only ${MOST_PROPOSED} are looked at`);
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

/** The person may switch one of theirs off for a project, in its local settings. A repository can't. */
function offIn({ settings, trusted }: PluginsQuery): (key: string, origin: Origin) => string | undefined {
  const local = new Map(
    settings.enabled.filter(({ origin }) => origin.scope === 'local').map(({ key, ...one }) => [key, one]),
  );
  return (key, origin) => {
    const said = local.get(key);
    const counts = trusted && origin.scope === 'user' && said?.value === false;
    return counts ? said.origin.file : undefined;
  };
}

class Search {
  readonly warnings: string[] = [];
  /** Enabled by the person. */
  readonly keys = new Set<string>();
  readonly #q: PluginsQuery;
  readonly #found = new Map<string, FoundPlugin>();
  readonly #errors: string[] = [];
  readonly #absent: string[] = [];

  constructor(q: PluginsQuery) {
    this.#q = q;
  }

  result(): PluginsFound {
    const warnings = [...this.warnings, ...describeAbsent(this.#absent)];
    return { plugins: [...this.#found.values()], warnings, errors: this.#errors };
  }

  /** Who gives a flag wants this plugin: that it can't be had is an error. */
  async addFlag(written: string): Promise<void> {
    const folder = await this.#folderAt([resolve(this.#q.folder, written)]);
    const read = folder === undefined ? NO_FOLDER : await readPlugin(this.#q.host, folder, basename(folder));
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
    const { host, settings } = this.#q;
    const found = await findByKey(host, key, { marketplaces: settings.marketplaces, isProposed });
    if (found.ok) await this.#read(found.folder, origin, key);
    else if (found.problem === undefined) this.#absent.push(`${key} (${origin.file})`);
    else this.warnings.push(`plugin ${key} (${origin.file}) is not loaded: ${found.problem}`);
  }

  async #read(folder: string, origin: Origin, key: string | undefined): Promise<void> {
    const read = await readPlugin(this.#q.host, folder, key?.slice(0, key.lastIndexOf('@')) ?? basename(folder));
    if (!read.ok) this.warnings.push(`plugin ${folder} (${origin.file}) is not loaded: ${read.reason}`);
    else this.#add(read.plugin, { scope: scopeOf(origin), file: origin.file }, key);
  }

  #add(read: ReadPlugin, origin: Plugin['origin'], key: string | undefined): void {
    const before = this.#found.get(read.name);
    if (before !== undefined) {
      if (before.read.folder !== read.folder)
        this.warnings.push(
          `plugin ${read.name} at ${read.folder} (${origin.file}) is not loaded: the one at ${before.read.folder} has its name`,
        );
      return;
    }
    const { options } = this.#q.settings;
    const set = { ...options.get(read.name), ...(key === undefined ? {} : options.get(key)) };
    const isProposed = origin.scope === 'project' || origin.scope === 'local';
    this.warnings.push(...read.problems.map(formatProblem));
    this.#found.set(read.name, { read, origin, isProposed, options: { ...read.defaults, ...set } });
  }

  async #folderAt(paths: readonly string[]): Promise<string | undefined> {
    const { files } = this.#q.host;
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

/** One line for all of them. */
function describeAbsent(absent: readonly string[]): readonly string[] {
  if (absent.length === 0) return [];
  const more = absent.length > 5 ? ` and ${absent.length - 5} more` : '';
  const are = plural(absent.length, 'enabled plugin is', 'enabled plugins are');
  return [
    `${are} not on this disk, and coppice downloads none: ${absent.slice(0, 5).join(', ')}${more}. ` +
      'Get it yourself and name its folder in the setting "plugins", or set it to false in enabledPlugins.',
  ];
}

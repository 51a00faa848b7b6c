/** Reads a plugin's folder: its manifest, and which parts it has (EX-6, EX-17). Runs nothing. */

import { join, relative } from 'node:path';
import type { Host } from '../../host/host.js';
import { isObject } from '../../protocol/json/json-values.js';
import type { Result } from '../../protocol/result.js';
import type { Problem } from '../problem.js';
import { plainValues } from '../settings/collect-plugins.js';
import { findGrants } from './granted-tools.js';
import { findInside } from './inside-path.js';
import type { Grant } from './plugin.js';
import { isPluginName, type Manifest, NAME_RULE, readJson, readManifest } from './read-manifest.js';

export type ReadPlugin = {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  /** Links resolved. */
  readonly folder: string;
  readonly agents: readonly string[];
  readonly skills: readonly string[];
  readonly commands: readonly string[];
  readonly outputStyles: readonly string[];
  readonly hooks: readonly { readonly file: string; readonly hooks: Readonly<Record<string, unknown>> }[];
  readonly servers: readonly { readonly file: string; readonly servers: Readonly<Record<string, unknown>> }[];
  readonly bin?: string;
  /** The names in `bin`. */
  readonly programs: readonly string[];
  readonly grants: readonly Grant[];
  /** The reason why its grants can't be determined. */
  readonly unclear?: string;
  /** Defaults from its manifest for options that you don't set. */
  readonly defaults: Readonly<Record<string, string>>;
  readonly problems: readonly Problem[];
};

export type PluginRead = Result<{ readonly plugin: ReadPlugin }>;

const MOST_BYTES = 4 * 1024 * 1024;
const MOST_PROGRAMS = 500;

/** `folder`: links resolved. */
export async function readPlugin(host: Host, folder: string, fallbackName: string): Promise<PluginRead> {
  const read = await readManifest(host, folder);
  if (!read.ok) return read;
  const { manifest } = read;
  const name = manifest.name ?? fallbackName;
  if (!isPluginName(name)) {
    const shown = JSON.stringify(name).slice(0, 100);
    return { ok: false, reason: `${shown} can't be its name: give it one in ${manifest.file} (${NAME_RULE})` };
  }
  const reading = new Reading(host, folder, manifest);
  const [agents, commands, outputStyles] = [
    await reading.replaced('agents', 'agents'),
    await reading.replaced('commands', 'commands'),
    await reading.replaced('outputStyles', 'output-styles'),
  ];
  const skills = await reading.skills();
  const hooks = await reading.merged('hooks', 'hooks/hooks.json', 'hooks');
  const servers = await reading.merged('mcpServers', '.mcp.json', 'mcpServers');
  const bin = await reading.bin();
  if (reading.failure !== undefined) return { ok: false, reason: reading.failure };
  const grants = await findGrants(host, { name, folder, agents, skills, commands });
  return {
    ok: true,
    plugin: {
      name,
      ...(manifest.version === undefined ? {} : { version: manifest.version }),
      ...(manifest.description === undefined ? {} : { description: manifest.description }),
      folder,
      agents,
      skills,
      commands,
      outputStyles,
      hooks: hooks.map(({ file, value }) => ({ file, hooks: value })),
      servers: servers.map(({ file, value }) => ({ file, servers: value })),
      ...bin,
      grants: grants.ok ? grants.grants : [],
      ...(grants.ok ? {} : { unclear: grants.reason }),
      defaults: defaultsOf(manifest),
      problems: [...reading.problems, ...describeKeys(manifest)],
    },
  };
}

type Part = { readonly file: string; readonly value: Readonly<Record<string, unknown>> };

class Reading {
  readonly problems: Problem[] = [];
  /** The reason why the plugin is not loaded. */
  failure: string | undefined;

  constructor(
    readonly host: Host,
    readonly folder: string,
    readonly manifest: Manifest,
  ) {}

  /** Paths in the manifest replace the default folder. */
  async replaced(key: 'agents' | 'commands' | 'outputStyles', byDefault: string): Promise<readonly string[]> {
    const written = this.manifest[key];
    return written === undefined ? this.#byDefault(byDefault) : this.#paths(key, written);
  }

  async skills(): Promise<readonly string[]> {
    const usual = await this.#byDefault('skills');
    const { skills: written } = this.manifest;
    const found = [...usual, ...(await this.#paths('skills', written))];
    // A folder that is itself a skill is replaced by its file, also one at the top.
    const all = found.length === 0 ? [this.folder] : found;
    const paths = await Promise.all(
      all.map(async (path) => {
        const inside = await findInside(this.host, this.folder, `./${join(relative(this.folder, path), 'SKILL.md')}`);
        return inside.ok && inside.kind === 'file' ? inside.path : path;
      }),
    );
    return [...new Set(paths)].filter((path) => path !== this.folder || written.length > 0);
  }

  /** The content of the default file, and what the manifest adds to it: files or inline values. */
  async merged(key: 'hooks' | 'mcpServers', byDefault: string, within: string): Promise<readonly Part[]> {
    const parts: Part[] = [];
    const seen = new Set<string>();
    const add = async (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      const read = await readJson(this.host, this.folder, path, MOST_BYTES);
      const value = read.kind === 'read' ? unwrapped(read.value, within) : undefined;
      if (value !== undefined) parts.push({ file: path, value });
      else if (read.kind !== 'absent') {
        const reason = read.kind === 'refused' ? read.reason : `expected {"${within}": {…}}`;
        this.problems.push({ severity: 'error', file: path, message: `ignored: ${reason}` });
      }
    };
    await add(join(this.folder, byDefault));
    for (const written of this.manifest[key]) {
      if (typeof written === 'string') for (const path of await this.#paths(key, [written])) await add(path);
      else {
        const value = isObject(written) ? unwrapped(written, within) : undefined;
        if (value === undefined) this.failure ??= `${this.manifest.file}: "${key}" is invalid: expected an object`;
        else parts.push({ file: this.manifest.file, value });
      }
    }
    return parts;
  }

  async bin(): Promise<Pick<ReadPlugin, 'bin' | 'programs'>> {
    const found = await findInside(this.host, this.folder, './bin');
    if (!found.ok || found.kind !== 'folder') return { programs: [] };
    const names = this.host.files.sync.list(found.path, MOST_PROGRAMS).map(({ name }) => name);
    return names.length === 0 ? { programs: [] } : { bin: found.path, programs: names.sort() };
  }

  async #byDefault(name: string): Promise<readonly string[]> {
    if ((await this.host.files.lstat(join(this.folder, name)).catch(() => undefined)) === undefined) return [];
    const found = await findInside(this.host, this.folder, `./${name}`);
    if (found.ok) return found.kind === 'folder' ? [found.path] : [];
    this.problems.push({ severity: 'error', file: join(this.folder, name), message: `not used: ${found.reason}` });
    return [];
  }

  async #paths(key: string, written: readonly string[]): Promise<readonly string[]> {
    const paths: string[] = [];
    for (const one of written) {
      const found = await findInside(this.host, this.folder, one);
      if (!found.ok) this.failure ??= `${this.manifest.file}: "${key}" is invalid: ${found.reason}`;
      else if (found.kind === 'file' && !isExpectedFile(key, found.path))
        this.failure ??= `${this.manifest.file}: "${key}" is invalid: ${JSON.stringify(one).slice(0, 200)} must be a folder or a file that ends in .md`;
      else paths.push(found.path);
    }
    return paths;
  }
}

function isExpectedFile(key: string, path: string): boolean {
  return key === 'hooks' || key === 'mcpServers' || /\.(?:md|markdown)$/i.test(path);
}

/** Accepts `{"hooks": {…}}` or its inner object; the same for servers. Undefined if it is neither. */
function unwrapped(
  value: Readonly<Record<string, unknown>>,
  key: string,
): Readonly<Record<string, unknown>> | undefined {
  const inner = Object.hasOwn(value, key) ? value[key] : value;
  if (!isObject(inner)) return undefined;
  const isKind = (member: unknown) => (key === 'hooks' ? Array.isArray(member) : isObject(member));
  const isWhole = inner !== value || Object.values(inner).every(isKind);
  return isWhole ? inner : undefined;
}

function defaultsOf({ userConfig }: Manifest): Readonly<Record<string, string>> {
  const given = Object.entries(userConfig).flatMap(([key, one]) =>
    isObject(one) && Object.hasOwn(one, 'default') ? [[key, one.default] as const] : [],
  );
  return plainValues(Object.fromEntries(given));
}

function describeKeys({ file, unused, unknown }: Manifest): readonly Problem[] {
  const warning = (message: string): Problem => ({ severity: 'warning', file, message });
  return [
    ...(unused.length > 0 ? [warning(`has no effect here: ${unused.join(', ')}`)] : []),
    ...(unknown.length > 0 ? [warning(`unknown keys ignored: ${unknown.slice(0, 20).join(', ')}`)] : []),
  ];
}

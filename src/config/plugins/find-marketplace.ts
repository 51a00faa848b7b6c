/** Finds a plugin that is enabled by name: in a marketplace on this disk, or in the cache of another tool (EX-18). */

import { basename, dirname, join } from 'node:path';
import type { Host } from '../../host/host.js';
import { isObject } from '../../protocol/json/json-values.js';
import { isWithin } from '../path-within.js';
import { configDir } from '../paths.js';
import { type PluginSettings, pathsFrom } from '../settings/collect-plugins.js';
import { isOfProject } from '../settings/merge-settings.js';
import { isPluginName, readJson } from './read-manifest.js';

export type MarketplaceFound =
  | { readonly ok: true; readonly folder: string }
  | { readonly ok: false; readonly problem?: string };

type Marketplaces = PluginSettings['marketplaces'];

const MOST_BYTES = 4 * 1024 * 1024;

/** `isProposed`: a project enables it. Only then are the project's own marketplaces searched. */
export async function findByKey(
  host: Host,
  key: string,
  { marketplaces, isProposed }: { readonly marketplaces: Marketplaces; readonly isProposed: boolean },
): Promise<MarketplaceFound> {
  const at = key.lastIndexOf('@');
  const [name, marketplace] = [key.slice(0, at), key.slice(at + 1)];
  if (at < 1 || !isPluginName(name) || !isPluginName(marketplace))
    return { ok: false, problem: `${JSON.stringify(key).slice(0, 100)} is not "name@marketplace"` };
  const own = marketplaces.filter((one) => one.name === marketplace && !isOfProject(one.origin));
  const theirs = marketplaces.filter((one) => one.name === marketplace && isOfProject(one.origin));
  let problem: string | undefined;
  for (const one of [...own, ...(isProposed ? theirs : [])]) {
    const found = await lookInMarketplace(host, name, one);
    if (found.ok) return found;
    problem ??= found.problem;
  }
  const cached = await lookInCache(host, name, marketplace);
  return cached ?? { ok: false, ...(problem === undefined ? {} : { problem }) };
}

async function lookInMarketplace(
  host: Host,
  name: string,
  { value, origin }: Marketplaces[number],
): Promise<MarketplaceFound> {
  const source = isObject(value) && isObject(value.source) ? value.source : undefined;
  const { source: kind, path } = source ?? {};
  // Remote marketplaces are skipped: nothing is downloaded.
  if (typeof path !== 'string' || path === '' || !['directory', 'file', 'local'].includes(String(kind)))
    return { ok: false };
  for (const candidate of pathsFrom(path, origin, host.env)) {
    const real = await host.files.realpath(candidate).catch(() => undefined);
    const stat = real === undefined ? undefined : await host.files.stat(real).catch(() => undefined);
    if (real === undefined || stat === undefined) continue;
    const file = stat.kind === 'folder' ? join(real, '.claude-plugin', 'marketplace.json') : real;
    const root = stat.kind === 'folder' ? real : folderOf(real);
    const read = await readJson(host, root, file, MOST_BYTES);
    if (read.kind === 'refused') return { ok: false, problem: `${file}: ${read.reason}` };
    if (read.kind === 'absent') continue;
    return findEntry(host, name, { root, file, value: read.value });
  }
  return { ok: false };
}

/** `…/.claude-plugin/marketplace.json` describes the folder that contains `.claude-plugin`. */
function folderOf(file: string): string {
  const folder = dirname(file);
  return basename(folder) === '.claude-plugin' ? dirname(folder) : folder;
}

type Marketplace = { readonly root: string; readonly file: string; readonly value: Readonly<Record<string, unknown>> };

async function findEntry(host: Host, name: string, { root, file, value }: Marketplace): Promise<MarketplaceFound> {
  const entries = Array.isArray(value.plugins) ? value.plugins : [];
  const entry = entries.find((one: unknown) => isObject(one) && one.name === name);
  if (!isObject(entry)) return { ok: false, problem: `${file} has no plugin ${name}` };
  if (typeof entry.source !== 'string') return { ok: false, problem: `${file}: ${name} is not on this disk` };
  const base =
    isObject(value.metadata) && typeof value.metadata.pluginRoot === 'string' ? value.metadata.pluginRoot : '';
  for (const written of new Set([join(base, entry.source), entry.source])) {
    const folder = await host.files.realpath(join(root, written)).catch(() => undefined);
    if (folder === undefined) continue;
    if (!isWithin(root, folder))
      return { ok: false, problem: `${file}: the source of ${name} leads out of the marketplace` };
    if ((await host.files.stat(folder).catch(() => undefined))?.kind === 'folder') return { ok: true, folder };
  }
  return { ok: false, problem: `${file}: the folder of ${name} is not there` };
}

const MOST_VERSIONS = 200;

/** Returns the newest `cache/<marketplace>/<plugin>/<version>/`. */
async function lookInCache(host: Host, name: string, marketplace: string): Promise<MarketplaceFound | undefined> {
  const cache = join(configDir(host.env), 'plugins', 'cache');
  const folder = join(cache, marketplace, name);
  try {
    if ((await host.files.stat(folder))?.kind !== 'folder') return undefined;
    const names = (await host.files.list(folder, MOST_VERSIONS)).filter(({ kind }) => kind === 'folder');
    const dated = await Promise.all(
      names.map(async ({ name: version }) => ({
        version,
        time: (await host.files.stat(join(folder, version)))?.mtimeMs ?? 0,
      })),
    );
    const [newest] = dated.sort((a, b) => compareVersions(b.version, a.version) || b.time - a.time);
    return newest === undefined
      ? undefined
      : { ok: true, folder: await host.files.realpath(join(folder, newest.version)) };
  } catch {
    return undefined;
  }
}

/** Compares version numbers; a version without numbers, such as a commit, is older than one with. */
function compareVersions(a: string, b: string): number {
  const [one, other] = [numbersOf(a), numbersOf(b)];
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined);
  for (const [index, number] of one.entries()) if (number !== other[index]) return number - (other[index] ?? 0);
  // 1.0.0-beta comes before 1.0.0.
  return Number(!/^v?[\d.]+$/.test(b) && /^v?[\d.]+$/.test(a)) - Number(!/^v?[\d.]+$/.test(a) && /^v?[\d.]+$/.test(b));
}

function numbersOf(version: string): readonly number[] | undefined {
  const [, major, minor = '0', patch = '0'] = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:[-+.].*)?$/.exec(version) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

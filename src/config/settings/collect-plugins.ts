/** Collects plugin settings layer by layer, because a project's have less weight than yours (EX-18, EX-19). Pure. */

import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Environment } from '../../host/host.js';
import { isObject } from '../../protocol/json/json-values.js';
import { userHome } from '../paths.js';
import { isOfProject, type Layer, type Origin } from './merge-settings.js';

export type PluginSettings = {
  /** Of `plugins`, strongest layer first. */
  readonly named: readonly NamedPlugin[];
  /** Of `enabledPlugins`, strongest layer first: a key may be there several times. */
  readonly enabled: readonly { readonly key: string; readonly value: boolean; readonly origin: Origin }[];
  /** Of `extraKnownMarketplaces`, as written. */
  readonly marketplaces: readonly { readonly name: string; readonly value: unknown; readonly origin: Origin }[];
  /** Of `pluginConfigs`, by plugin; never a project's. */
  readonly options: ReadonlyMap<string, PluginOptions>;
};

export type NamedPlugin = {
  /** Absolute, links not resolved. The first that exists is used. */
  readonly paths: readonly string[];
  readonly written: string;
  readonly origin: Origin;
};

type PluginOptions = Readonly<Record<string, string>>;

/** `layers`: strongest first, a project's not yet restricted. */
export function collectPlugins(layers: readonly Layer[], { env }: { readonly env: Environment }): PluginSettings {
  const entries = <T>(of: (layer: Layer) => Readonly<Record<string, T>> | undefined) =>
    layers.flatMap((layer) => Object.entries(of(layer) ?? {}).map(([key, value]) => ({ key, value, ...layer })));
  return {
    named: layers.flatMap(({ origin, settings }) =>
      (settings.plugins ?? []).map((written) => ({ written, origin, paths: pathsFrom(written, origin, env) })),
    ),
    enabled: entries((layer) => layer.settings.enabledPlugins).map(({ key, value, origin }) => ({
      key,
      value,
      origin,
    })),
    marketplaces: entries((layer) => layer.settings.extraKnownMarketplaces).map(({ key: name, value, origin }) => ({
      name,
      value,
      origin,
    })),
    options: optionsOf(layers.filter(({ origin }) => !isOfProject(origin))),
  };
}

/** Candidates for a relative path: from the project or config folder like other settings, then next to the file itself. */
export function pathsFrom(written: string, { folder, file }: Origin, env: Environment): readonly string[] {
  if (written === '~' || written.startsWith('~/')) return [join(userHome(env), written.slice(1))];
  if (isAbsolute(written)) return [resolve(written)];
  const nextToFile = isAbsolute(file) ? [resolve(dirname(file), written)] : [];
  return [...new Set([resolve(folder, written), ...nextToFile])];
}

function optionsOf(layers: readonly Layer[]): ReadonlyMap<string, PluginOptions> {
  const options = new Map<string, PluginOptions>();
  // The strongest layer is applied last, so it wins.
  for (const { settings } of [...layers].reverse()) {
    for (const [name, config] of Object.entries(settings.pluginConfigs ?? {})) {
      const given = typeof config === 'object' && config !== null && 'options' in config ? config.options : undefined;
      options.set(name, { ...options.get(name), ...plainValues(given) });
    }
  }
  return options;
}

/** The values that can be passed as text: strings, numbers and booleans. */
export function plainValues(values: unknown): PluginOptions {
  if (!isObject(values)) return {};
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
  const isName = (name: string) => /^[A-Za-z][\w-]{0,99}$/.test(name);
  return Object.fromEntries(
    Object.entries(values)
      .filter(([name, value]) => isName(name) && isPlain(value) && !String(value).includes('\0'))
      .map(([name, value]) => [name, String(value)]),
  );
}

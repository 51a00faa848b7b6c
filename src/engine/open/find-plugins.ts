/** Finds the plugins of a session and their approved parts (EX-6, EX-18, EX-19). Loads nothing if none is named. */

import { delimiter } from 'node:path';
import type { PluginsQuery } from '../../config/plugins/find-plugins.js';
import type { Plugin } from '../../config/plugins/plugin.js';
import type { PluginSettings } from '../../config/settings/collect-plugins.js';
import type { SettingsResult } from '../../config/settings/read-settings.js';
import type { Host } from '../../host/host.js';
import type { SessionPluginsFound } from '../plugins/load-plugins.js';
import type { SessionOptions } from '../session-options.js';

export type PluginsScope = {
  readonly host: Host;
  /** The folder in which the session was requested: `--plugin-dir` is relative to it. */
  readonly folder: string;
  readonly projectRoot: string;
  readonly approvalsRoot: string;
  readonly trusted: boolean;
  readonly settings: Pick<SettingsResult, 'plugins'>;
  readonly options: Pick<SessionOptions, 'pluginDirs' | 'trust'>;
};

const NONE: SessionPluginsFound = { plugins: [], warnings: [], errors: [] };

export async function findSessionPlugins(scope: PluginsScope): Promise<SessionPluginsFound> {
  const query = pluginsQuery(scope);
  if (!mayHavePlugins(query)) return NONE;
  return (await import('../plugins/load-plugins.js')).loadPlugins(query);
}

export function pluginsQuery({ settings, options, ...scope }: PluginsScope): PluginsQuery {
  return {
    ...scope,
    settings: settings.plugins,
    pluginDirs: options.pluginDirs ?? [],
    trustThisRun: options.trust === true,
  };
}

/** False only if there is certainly none. */
export function mayHavePlugins({ pluginDirs, settings, trusted }: PluginsQuery): boolean {
  const counts = ({ origin: { scope } }: Named) => trusted || (scope !== 'project' && scope !== 'local');
  const isEnabled = settings.enabled.some((one) => one.value && counts(one));
  return pluginDirs.length > 0 || settings.named.some(counts) || isEnabled;
}

type Named = PluginSettings['named'][number] | PluginSettings['enabled'][number];

/** With their programs on the PATH. */
export async function withPrograms(host: Host, plugins: readonly Plugin[]): Promise<Host> {
  const folders = plugins.flatMap(({ bin }) => (bin === undefined || bin.includes(delimiter) ? [] : [bin]));
  if (folders.length === 0 || !host.env.PATH) return host;
  return (await import('../plugins/plugin-programs.js')).withPrograms(host, plugins, folders);
}

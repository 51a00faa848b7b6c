/** Which plugins a session has, and what of them counts (EX-6, EX-18, EX-19). Nothing is loaded where none is named. */

import { delimiter } from 'node:path';
import type { PluginsQuery } from '../../config/plugins/find-plugins.js';
import type { Plugin } from '../../config/plugins/plugin.js';
import type { PluginSettings } from '../../config/settings/collect-plugins.js';
import type { SettingsResult } from '../../config/settings/read-settings.js';
import { type Host, withEnvironment } from '../../host/host.js';
import type { SessionPluginsFound } from '../plugins/load-plugins.js';
import type { SessionOptions } from '../session-options.js';

export type PluginsScope = {
  readonly host: Host;
  /** Where the person asked for the session: `--plugin-dir` is relative to it. */
  readonly folder: string;
  readonly projectRoot: string;
  readonly approvalsRoot: string;
  readonly trusted: boolean;
  readonly settings: Pick<SettingsResult, 'plugins'>;
  readonly options: Pick<SessionOptions, 'pluginDirs' | 'trust'>;
};

const NONE: SessionPluginsFound = { plugins: [], warnings: [], errors: [] };

export async function findSessionPlugins(place: PluginsScope): Promise<SessionPluginsFound> {
  const question = pluginsQuery(place);
  if (!mayHavePlugins(question)) return NONE;
  return (await import('../plugins/load-plugins.js')).loadPlugins(question);
}

export function pluginsQuery({ settings, options, ...place }: PluginsScope): PluginsQuery {
  return {
    ...place,
    settings: settings.plugins,
    pluginDirs: options.pluginDirs ?? [],
    trustThisRun: options.trust === true,
  };
}

/** False only if there is none for sure. */
export function mayHavePlugins({ pluginDirs, settings, trusted }: PluginsQuery): boolean {
  const counts = ({ origin: { scope } }: Named) => trusted || (scope !== 'project' && scope !== 'local');
  const isEnabled = settings.enabled.some((one) => one.value && counts(one));
  return pluginDirs.length > 0 || settings.named.some(counts) || isEnabled;
}

type Named = PluginSettings['named'][number] | PluginSettings['enabled'][number];

/** Their programs come last: none takes the place of another command. */
export function withPrograms(host: Host, plugins: readonly Plugin[]): Host {
  const folders = plugins.flatMap(({ bin }) => (bin === undefined || bin.includes(delimiter) ? [] : [bin]));
  const { PATH } = host.env;
  if (folders.length === 0 || PATH === undefined || PATH === '') return host;
  return withEnvironment(host, { ...host.env, PATH: [PATH, ...folders].join(delimiter) });
}

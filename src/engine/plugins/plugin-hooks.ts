/** The hooks of approved plugins as sources of a session's hooks (EX-19, EX-20). */

import type { Plugin } from '../../config/plugins/plugin.js';
import { whyPluginChanged } from '../../config/plugins/plugin-approval.js';
import { hashFolder, isSameFolder } from '../../config/plugins/plugin-hash.js';
import { replaceInText } from '../../config/plugins/plugin-placeholders.js';
import { pluginEnvironment, replaceInShell } from '../../config/plugins/plugin-variables.js';
import type { HookSource } from '../../gate/hooks/hook-config.js';
import type { Host } from '../../host/host.js';
import { isObject } from '../../protocol/json/json-values.js';

export type PluginHooks = {
  readonly sources: readonly HookSource[];
  /** The reason why a command with this environment must not run now: its plugin has changed since its approval. */
  whyChanged(environment: HookSource['environment']): string | undefined;
};

export function hooksOfPlugins(host: Host, plugins: readonly Plugin[]): PluginHooks {
  const whyChanged = watchPlugins(host, plugins);
  return {
    sources: plugins.flatMap(sourcesOf),
    whyChanged: (environment) => whyChanged(environment?.CLAUDE_PLUGIN_ROOT ?? ''),
  };
}

/** Returns why the plugin in a folder must not act now; undefined if it is as approved, or no plugin is there. */
export function watchPlugins(host: Host, plugins: readonly Plugin[]): (folder: string) => string | undefined {
  const watched = new Map(plugins.map((plugin) => [plugin.folder, { plugin, stamp: stampNow(host, plugin) }]));
  return (folder) => {
    const one = watched.get(folder);
    if (one === undefined || isSameFolder(host, one.plugin.folder, one.stamp)) return undefined;
    const reason = whyPluginChanged(host, one.plugin);
    if (reason === undefined) one.stamp = stampNow(host, one.plugin);
    return reason;
  };
}

/** Empty unless the folder is as approved: then names and times show whether it still is. */
function stampNow(host: Host, { folder, approval }: Plugin): string {
  const now = hashFolder(host, folder);
  return now.ok && now.hash === (approval.value as { readonly hash: string }).hash ? now.stamp : '';
}

function sourcesOf(plugin: Plugin): readonly HookSource[] {
  return plugin.hooks.map(({ file, hooks }) => hookSourceOf(plugin, file, hooks));
}

/** Its environment identifies it as the plugin's: it does not run once the plugin has changed. */
export function hookSourceOf(plugin: Plugin, file: string, hooks: unknown): HookSource {
  return {
    origin: `plugin ${plugin.name} (${file})`,
    hooks: mapEvents(hooks, (hook) => withPlaces(hook, plugin)),
    isOwn: false,
    environment: pluginEnvironment(plugin),
  };
}

function mapEvents(hooks: unknown, change: (hook: unknown) => unknown): unknown {
  if (!isObject(hooks)) return hooks;
  const events = Object.entries(hooks).map(([event, groups]) => {
    if (!Array.isArray(groups)) return [event, groups];
    const changed = groups.map((group: unknown) =>
      isObject(group) && Array.isArray(group.hooks) ? { ...group, hooks: group.hooks.map(change) } : group,
    );
    return [event, changed];
  });
  return Object.fromEntries(events);
}

/** Fields with our names, not the plugin's. */
const LEFT: ReadonlySet<string> = new Set(['type', 'if']);

function withPlaces(hook: unknown, plugin: Plugin): unknown {
  if (!isObject(hook)) return hook;
  // Without a list of arguments, a shell reads the command.
  const isShell = !Array.isArray(hook.args);
  return Object.fromEntries(
    Object.entries(hook).map(([key, value]) => {
      if (LEFT.has(key)) return [key, value];
      if (key === 'command' && isShell && typeof value === 'string')
        return [key, replaceInShell(value, plugin.variables)];
      return [key, replaceDeep(value, plugin)];
    }),
  );
}

function replaceDeep(value: unknown, plugin: Plugin): unknown {
  if (typeof value === 'string') return replaceInText(value, plugin);
  if (Array.isArray(value)) return value.map((one) => replaceDeep(one, plugin));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaceDeep(one, plugin)]));
}

/** The location and options of a plugin, for its texts and processes (EX-20). Pure. */

import { join } from 'node:path';
import type { Environment } from '../../host/host.js';
import { configDir } from '../paths.js';
import type { PluginPlaceholders } from './plugin-placeholders.js';

/** The folder for data that outlives a version of the plugin. Created on first use. */
export function pluginDataFolder(env: Environment, name: string): string {
  return join(configDir(env), 'plugins', 'data', name);
}

export function pluginVariables(env: Environment, name: string, folder: string): Readonly<Record<string, string>> {
  const data = pluginDataFolder(env, name);
  return { CLAUDE_PLUGIN_ROOT: folder, CLAUDE_PLUGIN_DATA: data, PLUGIN_ROOT: folder, PLUGIN_DATA: data };
}

/** The environment of its processes. Options are passed under their own name and in capitals, as in other tools. */
export function pluginEnvironment({ variables, options }: PluginPlaceholders): Readonly<Record<string, string>> {
  const named = Object.entries(options).flatMap(([key, value]) => {
    const name = key.replaceAll('-', '_');
    return [
      [`CLAUDE_PLUGIN_OPTION_${name}`, value],
      [`CLAUDE_PLUGIN_OPTION_${name.toUpperCase()}`, value],
    ] as const;
  });
  return { ...variables, ...Object.fromEntries(named) };
}

const PLAIN = /^[\w@%+=:,./-]+$/;

/**
 * For a shell command line. A path of plain characters is inserted. Any other value stays a variable that the shell takes
 * from the environment and never parses; outside double quotes it gets quotes, so that it is one word. Options are never
 * inserted.
 */
export function replaceInShell(line: string, variables: Readonly<Record<string, string>>): string {
  let quote: '"' | "'" | undefined;
  return line.replace(/\\[\s\S]|["']|\$\{([A-Za-z_]\w*)\}/g, (part, name: string | undefined) => {
    if (name === undefined) {
      if (part === quote) quote = undefined;
      else if (quote === undefined && (part === '"' || part === "'")) quote = part;
      // In single quotes, a backslash is literal: the quote after it closes them.
      else if (quote === "'" && part === "\\'") quote = undefined;
      return part;
    }
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) return part;
    if (PLAIN.test(value)) return value;
    return quote === '"' ? part : quote === "'" ? `'"${part}"'` : `"${part}"`;
  });
}

/** What a plugin's texts and processes know of where it is and what the person set for it (EX-20). Pure. */

import { join } from 'node:path';
import type { Environment } from '../../host/host.js';
import { configDir } from '../paths.js';
import type { PluginPlaceholders } from './plugin-placeholders.js';

/** Where a plugin keeps what is to outlive it. Ours to make, on first use. */
export function pluginDataFolder(env: Environment, name: string): string {
  return join(configDir(env), 'plugins', 'data', name);
}

export function pluginVariables(env: Environment, name: string, folder: string): Readonly<Record<string, string>> {
  const data = pluginDataFolder(env, name);
  return { CLAUDE_PLUGIN_ROOT: folder, CLAUDE_PLUGIN_DATA: data, PLUGIN_ROOT: folder, PLUGIN_DATA: data };
}

/** What its processes get. A name of an option as it is written, and in capitals, as other tools have it. */
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
 * In a line that a shell reads. A path of plain letters is put in. Any other stays a variable, which the shell takes from
 * the environment and never reads as a part of the line; where it stands bare, or in single quotes, it gets quotes, so that
 * it is one word. Options are never put in.
 */
export function replaceInShell(line: string, variables: Readonly<Record<string, string>>): string {
  let quote: '"' | "'" | undefined;
  return line.replace(/\\[\s\S]|["']|\$\{([A-Za-z_]\w*)\}/g, (part, name: string | undefined) => {
    if (name === undefined) {
      if (part === quote) quote = undefined;
      else if (quote === undefined && (part === '"' || part === "'")) quote = part;
      // In single quotes a backslash is a letter: the quote after it ends them.
      else if (quote === "'" && part === "\\'") quote = undefined;
      return part;
    }
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) return part;
    if (PLAIN.test(value)) return value;
    return quote === '"' ? part : quote === "'" ? `'"${part}"'` : `"${part}"`;
  });
}

/** Collects MCP servers from settings files, and the rules about which may run (MC-13). Pure. */

import { isOfProject, type Layer, type Origin } from './merge-settings.js';
import type { ServerRuleSetting } from './setting-shapes.js';

export type SourcedServer = { readonly name: string; readonly value: unknown; readonly origin: Origin };

export type ServerRule = { readonly rule: ServerRuleSetting; readonly origin: Origin };

export type ServerSettings = {
  /** Of all files, strongest first. */
  readonly servers: readonly SourcedServer[];
  /** Undefined: no list is set, so all are allowed. Empty: none is. */
  readonly allowed: readonly ServerRule[] | undefined;
  /** The file with the empty list, if none is allowed. */
  readonly noneAllowedBy?: Origin;
  readonly denied: readonly ServerRule[];
  /** Names that the project's own files approve. They are only preselected in the prompt (MC-11). */
  readonly preselected: readonly string[];
};

/** `layers`: strongest first, a project's not yet restricted. */
export function collectServers(layers: readonly Layer[]): ServerSettings {
  const own = layers.filter(({ origin }) => !isOfProject(origin));
  const onlyManaged = own.find(({ settings }) => settings.allowManagedMcpServersOnly !== undefined)?.settings;
  const applicable =
    onlyManaged?.allowManagedMcpServersOnly === true ? own.filter(({ origin }) => origin.scope === 'managed') : own;
  const limiting = applicable.find(({ settings }) => settings.allowedMcpServers !== undefined);
  const allowed = limiting === undefined ? undefined : rulesOf(applicable, 'allowedMcpServers');
  return {
    servers: layers.flatMap(({ origin, settings }) =>
      Object.entries(settings.mcpServers ?? {}).map(([name, value]) => ({ name, value, origin })),
    ),
    allowed,
    ...(limiting !== undefined && allowed?.length === 0 ? { noneAllowedBy: limiting.origin } : {}),
    denied: rulesOf(layers, 'deniedMcpServers'),
    preselected: layers.flatMap(({ origin, settings }) =>
      isOfProject(origin) ? (settings.enabledMcpjsonServers ?? []) : [],
    ),
  };
}

function rulesOf(layers: readonly Layer[], key: 'allowedMcpServers' | 'deniedMcpServers'): readonly ServerRule[] {
  return layers.flatMap(({ origin, settings }) => (settings[key] ?? []).map((rule) => ({ rule, origin })));
}

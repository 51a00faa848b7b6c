/** Collects what settings files say about MCP servers: the servers, and the rules about which may run (MC-13). Pure. */

import type { Layer, Origin } from './merge-settings.js';
import type { ServerRuleSetting } from './setting-shapes.js';

export type SourcedServer = { readonly name: string; readonly value: unknown; readonly origin: Origin };

export type ServerRule = { readonly rule: ServerRuleSetting; readonly origin: Origin };

export type ServerSettings = {
  /** Of all files, strongest first. */
  readonly servers: readonly SourcedServer[];
  /** Undefined: nothing is said, so all are allowed. Empty: none is. */
  readonly allowed: readonly ServerRule[] | undefined;
  /** The file with the empty list, where none is allowed. */
  readonly noneAllowedBy?: Origin;
  readonly denied: readonly ServerRule[];
  /** Names that the project's own files approve: that only makes them a choice in the question (MC-11). */
  readonly preselected: readonly string[];
};

/** `layers`: strongest first, a project's not yet restricted. */
export function collectServers(layers: readonly Layer[]): ServerSettings {
  const own = layers.filter(({ origin }) => !isProject(origin));
  const onlyManaged = own.find(({ settings }) => settings.allowManagedMcpServersOnly !== undefined)?.settings;
  const counting =
    onlyManaged?.allowManagedMcpServersOnly === true ? own.filter(({ origin }) => origin.scope === 'managed') : own;
  const saying = counting.find(({ settings }) => settings.allowedMcpServers !== undefined);
  const allowed = saying === undefined ? undefined : rulesOf(counting, 'allowedMcpServers');
  return {
    servers: layers.flatMap(({ origin, settings }) =>
      Object.entries(settings.mcpServers ?? {}).map(([name, value]) => ({ name, value, origin })),
    ),
    allowed,
    ...(saying !== undefined && allowed?.length === 0 ? { noneAllowedBy: saying.origin } : {}),
    denied: rulesOf(layers, 'deniedMcpServers'),
    preselected: layers.flatMap(({ origin, settings }) =>
      isProject(origin) ? (settings.enabledMcpjsonServers ?? []) : [],
    ),
  };
}

function isProject({ scope }: Origin): boolean {
  return scope === 'project' || scope === 'local';
}

function rulesOf(layers: readonly Layer[], key: 'allowedMcpServers' | 'deniedMcpServers'): readonly ServerRule[] {
  return layers.flatMap(({ origin, settings }) => (settings[key] ?? []).map((rule) => ({ rule, origin })));
}

/** Selects the server tools that an agent declares: all, or some of them plus a search for the rest. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import { modelData } from '../../model/models.js';
import type { Servers } from '../../tools/mcp/server-access.js';
import type { Tool } from '../../tools/tool.js';
import { assemblePool } from '../catalog/tool-pool.js';
import type { Runtime } from '../runtime.js';

export type DeclaredServers = {
  readonly servers: Servers;
  /** Tools of servers and others; the others stay as they are. */
  readonly tools: readonly Tool[];
  readonly model: string;
  /** Tools it names are always declared. */
  readonly definition: AgentDefinition | undefined;
};

export function declareServers(
  { models }: Pick<Runtime, 'models'>,
  { servers, tools, model, definition }: DeclaredServers,
): readonly Tool[] {
  const named = definition === undefined || definition.tools === 'all' ? [] : definition.tools;
  const { context: window } = modelData(model, models);
  return servers.declared(tools, { window, named, mayHave: allowedBy(definition) });
}

/** For the main agent. A coordinator delegates everything. */
export function declareForMain(
  runtime: Pick<Runtime, 'settings' | 'models'>,
  { offered, ...declared }: Omit<DeclaredServers, 'tools'> & { readonly offered: readonly Tool[] },
): readonly Tool[] {
  if (runtime.settings.coordinator) return [];
  return declareServers(runtime, { ...declared, tools: allowedBy(declared.definition)(offered) });
}

/** Filters the tools of servers by a definition. */
export function allowedBy(definition: AgentDefinition | undefined): (tools: readonly Tool[]) => readonly Tool[] {
  if (definition === undefined) return (tools) => tools;
  return (all) => {
    const pool = assemblePool({ all, definition, depth: 1, maxDepth: Number.POSITIVE_INFINITY });
    return pool.ok ? pool.tools : [];
  };
}

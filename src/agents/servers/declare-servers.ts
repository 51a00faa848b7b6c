/** What an agent declares of what its servers offer: all of it, or some of it and a search for the rest. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import { modelData } from '../../model/models.js';
import type { Servers } from '../../tools/mcp/session-servers.js';
import type { Tool } from '../../tools/tool.js';
import { assemblePool } from '../catalog/tool-pool.js';
import type { Runtime } from '../runtime.js';

/** Of the main agent. A coordinator hands everything on. */
export function declareForMain(
  runtime: Pick<Runtime, 'settings' | 'mcp' | 'models'>,
  definition: AgentDefinition | undefined,
  offered: readonly Tool[],
  model: string,
): readonly Tool[] {
  const { coordinator, maxDepth } = runtime.settings;
  if (coordinator || offered.length === 0) return [];
  if (definition === undefined) return declareServers(runtime, { tools: offered, model });
  const pool = assemblePool({ all: offered, definition, depth: 0, maxDepth });
  return pool.ok ? declareServers(runtime, { tools: pool.tools, model, definition }) : [];
}

export type DeclaredServers = {
  /** Of servers or not; the others stay as they are. */
  readonly tools: readonly Tool[];
  readonly model: string;
  /** Tools it names are always declared. */
  readonly definition?: AgentDefinition;
};

export function declareServers(
  { mcp, models }: { readonly mcp: Servers; readonly models: Runtime['models'] },
  { tools, model, definition }: DeclaredServers,
): readonly Tool[] {
  const named = definition === undefined || definition.tools === 'all' ? [] : definition.tools;
  return mcp.declared(tools, { window: modelData(model, models).context, named });
}

/** Why an agent of a definition can't be started in this version, if that is so. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { Tool } from '../../tools/tool.js';
import { assemblePool } from './tool-pool.js';

/** For people. `all`: the tools of a session. */
export function refuseDefinition(definition: AgentDefinition, all: readonly Tool[]): string | undefined {
  // Which tools servers offer is known when they are connected.
  if (definition.tools !== 'all' && definition.tools.some((name) => name.startsWith('mcp__'))) return undefined;
  const pool = assemblePool({ all, definition, depth: 1, maxDepth: Number.POSITIVE_INFINITY });
  return pool.ok ? undefined : pool.reason;
}

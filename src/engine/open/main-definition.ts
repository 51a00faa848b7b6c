/** The agent that a session runs as: its definition, and its tools. */

import { assemblePool } from '../../agents/catalog/tool-pool.js';
import type { Runtime } from '../../agents/runtime.js';
import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { Tool } from '../../tools/tool.js';
import type { OpenFailure } from '../session-options.js';

type MainDefinition = {
  readonly ok: true;
  readonly definition: AgentDefinition;
  readonly tools: readonly Tool[];
};

export function findMainDefinition(runtime: Runtime, name: string): MainDefinition | OpenFailure {
  const definition = runtime.catalog.find(name);
  if (definition === undefined) {
    const names = runtime.catalog.namesNear(name).join(', ');
    return { ok: false, kind: 'usage', reason: `No agent "${name}". Available: ${names}` };
  }
  const { tools: all, settings } = runtime;
  const pool = assemblePool({ all, definition, depth: 0, maxDepth: settings.maxDepth, only: settings.builtInTools });
  // Its servers may still be connecting.
  if (!pool.ok && namesServers(definition)) return { ok: true, definition, tools: [] };
  if (!pool.ok) return { ok: false, kind: 'usage', reason: pool.reason };
  return { ok: true, definition, tools: pool.tools };
}

function namesServers({ tools }: AgentDefinition): boolean {
  return tools !== 'all' && tools.some((name) => name.startsWith('mcp__'));
}

/** The main session as an agent of a definition's kind: its prompt, tools, model and limits instead of ours. */

import { assemblePool } from '../agents/catalog/tool-pool.js';
import type { Runtime } from '../agents/runtime.js';
import type { AgentDefinition } from '../config/definitions/agent-definition.js';
import type { PermissionMode } from '../protocol/permission.js';
import type { Tool } from '../tools/tool.js';
import type { OpenFailure } from './session-options.js';

export type MainDefinition = {
  readonly ok: true;
  readonly definition: AgentDefinition;
  readonly tools: readonly Tool[];
};

export function findMainDefinition(runtime: Runtime, name: string): MainDefinition | OpenFailure {
  const definition = runtime.catalog.find(name);
  if (definition === undefined) {
    const names = runtime.catalog.namesNear(name).join(', ');
    return { ok: false, kind: 'usage', reason: `there is no agent "${name}". There are: ${names}` };
  }
  const pool = assemblePool({ all: runtime.tools, definition, depth: 0, maxDepth: runtime.settings.maxDepth });
  if (!pool.ok) return { ok: false, kind: 'usage', reason: pool.reason };
  return { ok: true, definition, tools: pool.tools };
}

/** A definition may make the session stricter; what widens is the person's to say. */
export function stricterMode(definition: AgentDefinition | undefined, mode: PermissionMode): PermissionMode {
  const request = definition?.permissionMode;
  return request === 'plan' || request === 'dontAsk' ? request : mode;
}

/** The main session as an agent of a definition's kind: its prompt, tools, model and limits instead of ours. */

import type { Crew } from '../agents/runtime.js';
import { assemblePool } from '../agents/catalog/tool-pool.js';
import type { AgentDefinition } from '../config/definitions/agent-definition.js';
import type { PermissionMode } from '../protocol/permission.js';
import type { Tool } from '../tools/tool.js';
import type { OpenFailure } from './session-options.js';

export type MainDefinition = {
  readonly ok: true;
  readonly definition: AgentDefinition;
  readonly tools: readonly Tool[];
};

export function findMainDefinition(crew: Crew, name: string): MainDefinition | OpenFailure {
  const definition = crew.catalog.find(name);
  if (definition === undefined) {
    const names = crew.catalog.namesNear(name).join(', ');
    return { ok: false, kind: 'usage', message: `there is no agent "${name}". There are: ${names}` };
  }
  const pool = assemblePool({ all: crew.tools, definition, depth: 0, maxDepth: crew.rules.maxDepth });
  if (!pool.ok) return { ok: false, kind: 'usage', message: pool.reason };
  return { ok: true, definition, tools: pool.tools };
}

/** A definition may make the session stricter; what widens is the person's to say. */
export function stricterMode(definition: AgentDefinition | undefined, mode: PermissionMode): PermissionMode {
  const wish = definition?.permissionMode;
  return wish === 'plan' || wish === 'dontAsk' ? wish : mode;
}

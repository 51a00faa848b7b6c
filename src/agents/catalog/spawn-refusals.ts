/** Reasons not to start an agent of a definition: its parent, a rule, or tools that do not exist. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { Tool } from '../../tools/tool.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import { assemblePool } from './tool-pool.js';

export const FORKS_START_NOTHING =
  'A fork does its task itself: it cannot start agents, by any tool. Do the work directly, with your other tools.';

/** For the model: why this agent can't start a child of the definition with any tool. Undefined if it can. */
export function refuseChild(runtime: Runtime, parent: LiveAgent, definition: AgentDefinition): string | undefined {
  const { name } = definition;
  if (parent.isFork) return FORKS_START_NOTHING;
  if (parent.depth >= runtime.settings.maxDepth) {
    return `An agent at depth ${parent.depth} starts no others (the limit is ${runtime.settings.maxDepth}). Do the work directly.`;
  }
  if (runtime.ports.gate.isAgentDenied(name)) {
    return `Agents of type ${name} are denied by a rule. Use another type, or do the work yourself.`;
  }
  return refuseType(runtime, parent, name);
}

/** For the model: why it can't start or wake an agent of this type. */
export function refuseType({ catalog }: Runtime, { record }: LiveAgent, type: string): string | undefined {
  const { spawns } = record;
  const meant = (name: string) => catalog.find(name)?.name ?? name;
  if (spawns === undefined || spawns.some((one) => meant(one) === meant(type))) return undefined;
  return `This agent may only start: ${spawns.join(', ')}. ${type} is not among them.`;
}

/** For the user: why no agent can start it in this version. `all`: the tools of the session. */
export function refuseDefinition(definition: AgentDefinition, all: readonly Tool[]): string | undefined {
  // The tools of servers are known only once those are connected.
  if (definition.tools !== 'all' && definition.tools.some((name) => name.startsWith('mcp__'))) return undefined;
  const pool = assemblePool({ all, definition, depth: 1, maxDepth: Number.POSITIVE_INFINITY });
  return pool.ok ? undefined : pool.reason;
}

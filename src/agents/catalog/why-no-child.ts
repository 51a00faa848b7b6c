/** Why an agent can't start a child of a definition, by whatever tool: forks, depth, rules, its own definition. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';

export const FORKS_START_NOTHING =
  'A fork does its task itself: it cannot start agents, by any tool. Do the work directly, with your other tools.';

/** For the model. Undefined: it can. */
export function refuseChild(runtime: Runtime, parent: LiveAgent, definition: AgentDefinition): string | undefined {
  const { name } = definition;
  if (parent.isFork) return FORKS_START_NOTHING;
  if (parent.depth >= runtime.settings.maxDepth) {
    return `An agent at depth ${parent.depth} starts no others (the limit is ${runtime.settings.maxDepth}). Do the work directly.`;
  }
  if (runtime.ports.gate.isAgentDenied(name)) {
    return `Agents of type ${name} are denied by a rule. Use another type, or do the work yourself.`;
  }
  const { spawns } = parent.record;
  if (spawns !== undefined && !spawns.some((one) => runtime.catalog.find(one) === definition)) {
    return `This agent may only start: ${spawns.join(', ')}. ${name} is not among them.`;
  }
  return undefined;
}

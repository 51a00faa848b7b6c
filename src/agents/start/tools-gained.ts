/** Finds what an agent would gain by starting another: tools with effects that its own definition withholds. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { ToolLimits } from '../../protocol/permission.js';
import { factsOf } from '../../protocol/tools/built-in-tools.js';
import type { Tool } from '../../tools/tool.js';
import { toolName } from '../catalog/tool-limits.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';

/** Tools that only delegate work or take notes. */
function handsOn(tool: string): boolean {
  const { coordinates, effect } = factsOf(tool);
  return coordinates === true || effect === 'notes';
}

/** A tool has effects unless it declares otherwise. */
function hasEffects(tool: string): boolean {
  return !handsOn(tool) && factsOf(tool).effect !== 'none';
}

export type Gain = {
  readonly parent: LiveAgent;
  readonly definition: AgentDefinition;
  readonly tools: readonly Tool[];
  readonly limits: ToolLimits;
};

/** The names of the tools gained; none if the parent may start the child as it is (decision 0017). */
export function toolsGained(runtime: Runtime, { parent, definition, tools, limits }: Gain): readonly string[] {
  const own = definitionOf(runtime, parent);
  if (own === 'none' || isUnlimited(own)) return [];
  // A trusted definition that names this child, or only delegates, is meant to delegate.
  if (own?.source.trusted !== false && (isNamed(runtime, parent, definition) || isCoordinator(own))) return [];
  return tools
    .map((tool) => tool.name)
    .filter(hasEffects)
    .filter((name) => !parent.hasTool(name) || isWider(name, parent.record.limits, limits));
}

/** Named by `Agent(a, b)` in its `tools`. */
function isNamed({ catalog }: Runtime, { record }: LiveAgent, definition: AgentDefinition): boolean {
  return record.spawns?.some((one) => catalog.find(one) === definition) ?? false;
}

/** True if it can only delegate. */
function isCoordinator(own: AgentDefinition | undefined): boolean {
  return own !== undefined && own.tools !== 'all' && own.tools.every((name) => handsOn(toolName(name)));
}

/** `none`: the session itself. Undefined: the definition is gone, so only the tools it has are considered. */
function definitionOf({ catalog }: Runtime, { record }: LiveAgent): AgentDefinition | 'none' | undefined {
  const [kind, , ...name] = record.origin.split(':');
  return kind === 'agent' ? catalog.find(name.join(':')) : 'none';
}

function isUnlimited(own: AgentDefinition | undefined): boolean {
  if (own === undefined || own.disallowedTools.length > 0) return false;
  return own.tools === 'all' || own.tools.includes('*');
}

/** True if the other may use a tool for more. Compared as text: what can't be compared is treated as wider. */
function isWider(name: string, own: ToolLimits | undefined, other: ToolLimits): boolean {
  const about = (rules: readonly string[] = []) => rules.filter((rule) => toolName(rule) === name);
  const only = about(own?.only);
  const otherOnly = about(other.only);
  if (only.length > 0 && (otherOnly.length === 0 || otherOnly.some((rule) => !only.includes(rule)))) return true;
  return about(own?.never).some((rule) => !other.never.includes(rule));
}

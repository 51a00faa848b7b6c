/** Finds what an agent would gain by starting or directing another: tools with effects that its definition withholds. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { AgentSpawned } from '../../protocol/events.js';
import type { ToolLimits } from '../../protocol/permission.js';
import { factsOf } from '../../protocol/tools/built-in-tools.js';
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
  /** Of the other agent. Undefined: it is gone, or the agent is a fork. */
  readonly definition: AgentDefinition | undefined;
  /** The names of its tools. */
  readonly tools: readonly string[];
  readonly limits: ToolLimits;
};

/** The names of the tools gained; none if the parent may start the child as it is (decision 0017). */
export function toolsGained(runtime: Runtime, { parent, definition, tools, limits }: Gain): readonly string[] {
  const own = definitionOf(runtime, parent);
  if (own === 'none' || isUnlimited(own)) return [];
  // A trusted definition that names this child, or only delegates, is meant to delegate.
  if (own?.source.trusted !== false && (isNamed(runtime, parent, definition) || isCoordinator(own))) return [];
  return tools
    .filter(hasEffects)
    .filter((name) => !hasFreely(parent, name) || isWider(name, parent.record.limits, limits));
}

/**
 * The names of the tools that a message gives its sender the use of; none for its own child, whose start was judged
 * (GT-34). A read-only sender has its tools for reading only.
 */
export function toolsReached(runtime: Runtime, sender: LiveAgent, receiver: AgentSpawned): readonly string[] {
  if (receiver.readOnly || receiver.parent === sender.id) return [];
  const { type, limits = NO_LIMITS, memory } = receiver;
  const tools = receiver.tools.filter((name) => !memory?.tools.includes(name));
  if (sender.record.readOnly) return tools.filter(hasEffects);
  return toolsGained(runtime, { parent: sender, definition: runtime.catalog.find(type), tools, limits });
}

const NO_LIMITS: ToolLimits = { only: [], never: [] };

/** Not just for its own notes. */
function hasFreely(agent: LiveAgent, name: string): boolean {
  return agent.hasTool(name) && agent.record.memory?.tools.includes(name) !== true;
}

/** Named by `Agent(a, b)` in its `tools`. */
function isNamed({ catalog }: Runtime, { record }: LiveAgent, definition: AgentDefinition | undefined): boolean {
  return definition !== undefined && record.spawns?.some((one) => catalog.find(one) === definition) === true;
}

/** True if it can only delegate. */
function isCoordinator(own: AgentDefinition | undefined): boolean {
  return own !== undefined && own.tools !== 'all' && own.tools.every((name) => handsOn(toolName(name)));
}

/** `none`: the session itself. Undefined: the definition is gone, so only the tools it has are considered. */
function definitionOf(runtime: Runtime, { record, isFork, parent }: LiveAgent): AgentDefinition | 'none' | undefined {
  if (isFork && parent !== undefined) return definitionOf(runtime, parent);
  const [kind, , ...name] = record.origin.split(':');
  return kind === 'agent' ? runtime.catalog.find(name.join(':')) : 'none';
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

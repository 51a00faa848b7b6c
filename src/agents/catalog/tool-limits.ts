/** Parses entries such as `Bash(git diff:*)` in a definition's tool lists, which limit or deny uses of a tool. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { ToolLimits } from '../../protocol/permission.js';

export function toolLimits({ tools, disallowedTools }: Pick<AgentDefinition, 'tools' | 'disallowedTools'>): ToolLimits {
  const requested = tools === 'all' ? [] : tools;
  const whole = new Set(requested.filter((name) => !isLimited(name)).map(toolName));
  return {
    only: requested.filter((name) => isLimited(name) && !whole.has(toolName(name))),
    never: disallowedTools.filter(isLimited),
  };
}

/** `Agent(a, b)` lists agent types and is parsed with the definition. */
function isLimited(name: string): boolean {
  return /^(?!Agent\b|mcp__)[^(]+\(.*\)$/s.test(name.trim());
}

/** The name without its parentheses. */
export function toolName(name: string): string {
  return name.replace(/\(.*\)$/s, '').trim();
}

/** What `Bash(git diff:*)` in a definition's lists means: the tool is there, and only for that; or all but that. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { ToolLimits } from '../../protocol/permission.js';

export function toolLimits({ tools, disallowedTools }: Pick<AgentDefinition, 'tools' | 'disallowedTools'>): ToolLimits {
  const wanted = tools === 'all' ? [] : tools;
  const whole = new Set(wanted.filter((name) => !isLimited(name)).map(toolName));
  return {
    only: wanted.filter((name) => isLimited(name) && !whole.has(toolName(name))),
    never: disallowedTools.filter(isLimited),
  };
}

/** `Agent(a, b)` is read with the definition; here it would be a type of agent. */
function isLimited(name: string): boolean {
  return /^(?!Agent\b|mcp__)[^(]+\(.*\)$/s.test(name.trim());
}

/** Without what stands in parentheses. */
export function toolName(name: string): string {
  return name.replace(/\(.*\)$/s, '').trim();
}

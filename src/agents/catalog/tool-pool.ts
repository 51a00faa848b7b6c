/** The tools of a named child: all tools, filtered by its definition. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { Result } from '../../protocol/result.js';
import { factsOf } from '../../protocol/tools/built-in-tools.js';
import { nearestNames } from '../../tools/nearest-names.js';
import type { Tool } from '../../tools/tool.js';
import { toolName } from './tool-limits.js';

export type PoolQuery = {
  readonly all: readonly Tool[];
  readonly definition: Pick<AgentDefinition, 'tools' | 'disallowedTools' | 'name' | 'source'>;
  readonly depth: number;
  readonly maxDepth: number;
  /** The built-in tools that the session has; undefined: all. */
  readonly only?: readonly string[] | undefined;
};

export type Pool = Result<{ readonly tools: readonly Tool[] }>;

export function assemblePool({ all, definition, depth, maxDepth, only }: PoolQuery): Pool {
  const mayHave = all.filter((tool) => {
    if (depth > 0 && factsOf(tool.name).forUser) return false;
    return tool.startsChild ? depth < maxDepth : true;
  });
  const { tools: requested, disallowedTools } = definition;
  const allowed = withoutTools(mayHave, disallowedTools);
  if (requested === 'all') return { ok: true, tools: allowed };
  const isRequested = (tool: Tool) => requested.some((name) => names(name, tool));
  const tools = allowed.filter(isRequested);
  // A non-empty list that matches nothing is a mistake; an empty list is intended.
  if (tools.length > 0 || requested.length === 0) return { ok: true, tools };
  if (mayHave.some(isRequested)) {
    const reason = `The definition of ${definition.name} takes away with \`disallowedTools\` all that it lists in \`tools\`. Correct ${definition.source.file}.`;
    return { ok: false, reason };
  }
  if (only !== undefined) {
    const there = only.length === 0 ? 'none' : only.join(', ');
    const reason = `None of the tools that the definition of ${definition.name} lists is there: ${requested.join(', ')}. This session is limited to some built-in tools (--tools): ${there}.`;
    return { ok: false, reason };
  }
  const hints = requested.map((name) => {
    const near = nearestNames(
      name,
      all.map((tool) => tool.name),
    );
    return near.length > 0 ? `${name} (nearest: ${near.join(', ')})` : name;
  });
  return {
    ok: false,
    reason: `None of the tools that the definition of ${definition.name} lists is there: ${hints.join('; ')}. Correct \`tools\` in ${definition.source.file}.`,
  };
}

/** `Bash(rm:*)` forbids calls, not the tool; the gate enforces it. */
export function withoutTools(all: readonly Tool[], rules: readonly string[]): readonly Tool[] {
  const without = rules.filter((name) => toolName(name) === name.trim());
  return without.length === 0 ? all : all.filter((tool) => !without.some((name) => names(name, tool)));
}

/**
 * Names in a definition's `tools` that match no tool, and are ignored. Tools of servers are known only in a session.
 */
export function absentTools(
  { tools: requested }: Pick<AgentDefinition, 'tools'>,
  all: readonly Tool[],
): readonly string[] {
  return requested === 'all'
    ? []
    : requested.filter((name) => !name.startsWith('mcp__') && !all.some((tool) => names(name, tool)));
}

/** The tools that a list of names selects, and the names that match none. */
export function chooseTools(
  all: readonly Tool[],
  listed: readonly string[],
): { readonly tools: readonly Tool[]; readonly unknown: readonly string[] } {
  return {
    tools: all.filter((tool) => listed.some((name) => names(name, tool))),
    unknown: listed.filter((name) => !all.some((tool) => names(name, tool))),
  };
}

/**
 * `*` selects every tool; `Task` is an alias of Agent; `mcp__server` and `mcp__server__*` select all tools of that
 * server.
 */
function names(listed: string, tool: Tool): boolean {
  const requested = toolName(listed).toLowerCase();
  if (requested === '*') return true;
  const known = [tool.name, ...(tool.aliases ?? [])].map((name) => name.toLowerCase());
  if (known.includes(requested)) return true;
  if (!requested.startsWith('mcp__')) return false;
  const server = requested.replace(/__\*$/, '');
  return known.some((name) => name.startsWith(`${server}__`));
}

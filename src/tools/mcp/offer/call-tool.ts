/** McpCall: calls a tool that ToolSearch has found. Gate, hooks and records see only the call of that tool. */

import { failed } from '../../../protocol/outcome.js';
import { mcpCallFacts } from '../../../protocol/tools/server-tools.js';
import { nearestNames } from '../../nearest-names.js';
import { findTool } from '../../registry.js';
import type { Forwarded, Tool } from '../../tool.js';
import { parseFields } from '../../zod-tool.js';

export const CALL_TOOL = mcpCallFacts.name;

/** `tools`: the tools that can be called now. */
export function callTool(tools: () => readonly Tool[]): Tool {
  return {
    name: CALL_TOOL,
    description:
      'Calls a tool of an MCP server that is not declared. Find it with ToolSearch first: `input` must be as its definition there says. Permissions and hooks are those of that tool.',
    inputSchema: {
      type: 'object',
      properties: {
        tool: { type: 'string', description: 'Its name: mcp__server__tool' },
        input: { type: 'object', description: 'Its input' },
      },
      required: ['tool', 'input'],
    },
    concurrent: false,
    forwards: (raw) => forward(raw, tools()),
    finds: (name) => findTool(tools(), name),
    parse: (raw) => parseFields(CALL_TOOL, raw),
    declare: () => [{ kind: 'custom', readOnly: false }],
    run: async () => failed(`${CALL_TOOL} only stands for other tools.`),
  };
}

function forward(raw: unknown, tools: readonly Tool[]): Forwarded {
  const read = parseFields(CALL_TOOL, raw);
  if (!read.ok) return read;
  const { tool: name, input } = read.input;
  if (typeof name !== 'string' || name === '') {
    return { ok: false, reason: `${CALL_TOOL}: "tool" is missing: give the name that ToolSearch says.` };
  }
  const tool = findTool(tools, name);
  if (tool !== undefined) return { ok: true, tool, raw: input };
  const names = tools.map((one) => one.name);
  const near = nearestNames(name.slice(0, 200), names);
  const hint = near.length > 0 ? `Nearest: ${near.join(', ')}.` : 'Look for it with ToolSearch.';
  return { ok: false, reason: `${CALL_TOOL} knows no tool ${JSON.stringify(name.slice(0, 200))}. ${hint}` };
}

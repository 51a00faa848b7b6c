/** A tool of the session as an MCP client sees it. */

import type { Tool as ListedTool, ToolAnnotations } from '@modelcontextprotocol/server';
import { factsOf } from '../../protocol/tools/built-in-tools.js';
import type { ToolEffect } from '../../protocol/tools/tool-facts.js';
import type { Tool } from '../../tools/tool.js';

export function describeTool({ name, description, inputSchema }: Tool): ListedTool {
  const { effect } = factsOf(name);
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: 'object' },
    ...(effect === undefined ? {} : { annotations: ANNOTATIONS[effect] }),
  };
}

const ANNOTATIONS: Readonly<Record<ToolEffect, ToolAnnotations>> = {
  none: { readOnlyHint: true, openWorldHint: false },
  'none-outside': { readOnlyHint: true, openWorldHint: true },
  notes: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  changes: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  anything: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
};

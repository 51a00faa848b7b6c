/** A tool of ours as an MCP client sees it. */

import type { Tool as ListedTool, ToolAnnotations } from '@modelcontextprotocol/server';
import type { Tool } from '../../tools/tool.js';

export function describeTool({ name, description, inputSchema }: Tool): ListedTool {
  const annotations = ANNOTATIONS[name];
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: 'object' },
    ...(annotations === undefined ? {} : { annotations }),
  };
}

const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
const CHANGES: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: false };
/** It may do what its command, or its agent, does. */
const ANYTHING: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };

/** Of the tools we know. Others say nothing: a client then expects the worst, which is right. */
const ANNOTATIONS: Readonly<Record<string, ToolAnnotations | undefined>> = {
  Bash: ANYTHING,
  Read: READS,
  Write: CHANGES,
  Edit: CHANGES,
  NotebookEdit: CHANGES,
  Glob: READS,
  Grep: READS,
  TodoWrite: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  WebFetch: { readOnlyHint: true, openWorldHint: true },
  WebSearch: { readOnlyHint: true, openWorldHint: true },
  Agent: ANYTHING,
  SendMessage: ANYTHING,
  TaskOutput: READS,
  TaskStop: CHANGES,
  ListAgents: READS,
};

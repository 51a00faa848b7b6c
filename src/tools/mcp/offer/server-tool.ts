/** A tool of an MCP server, with the facts that search and reports need. */

import type { Tool } from '../../tool.js';

export interface ServerTool extends Tool {
  readonly offered: {
    /** The configured name of the server. */
    readonly server: string;
    /** The server's instructions: cut, with our tags neutralised. */
    readonly instructions: string | undefined;
    /** Declared in full even if there are many tools. */
    readonly alwaysLoad: boolean;
  };
}

export function isServerTool(tool: Tool): tool is ServerTool {
  return 'offered' in tool;
}

/** The same ratio as for requests (model/models.ts). */
const BYTES_PER_TOKEN = 3.5;

/** The cost of a tool's definition in each request. */
export function estimateTokens({ name, description, inputSchema }: Tool): number {
  const bytes = Buffer.byteLength(JSON.stringify({ name, description, input_schema: inputSchema }));
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** A tool of an MCP server, and what search and reports need to know of it. */

import type { Tool } from '../../tool.js';

export interface ServerTool extends Tool {
  readonly offered: {
    /** As configured. */
    readonly server: string;
    /** What the server says about its use: cut, our tags neutralised. */
    readonly instructions: string | undefined;
    /** It is declared in full, however many tools there are. */
    readonly alwaysLoad: boolean;
  };
}

export function isServerTool(tool: Tool): tool is ServerTool {
  return 'offered' in tool;
}

/** As requests are measured (model/models.ts). */
const BYTES_PER_TOKEN = 3.5;

/** What a tool's definition costs in each request. */
export function estimateTokens({ name, description, inputSchema }: Tool): number {
  const bytes = Buffer.byteLength(JSON.stringify({ name, description, input_schema: inputSchema }));
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

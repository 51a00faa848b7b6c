/** Ranks server tools by the words of a query. */

import { type Ranked, type RankedEntry, rankEntries } from '../../rank-entries.js';
import type { ServerTool } from './server-tool.js';

export function rankTools(tools: readonly ServerTool[], query: string): Ranked<ServerTool> {
  return rankEntries(tools, entryOf, query);
}

/** The declared name, the long form, and the name without the server. */
function entryOf(tool: ServerTool): RankedEntry {
  const properties = tool.inputSchema.properties;
  return {
    names: [tool.name, ...(tool.aliases ?? [])],
    shortName: (tool.aliases?.[0] ?? tool.name).replace(/^mcp__.*?__/, ''),
    owner: tool.offered.server,
    parameters: typeof properties === 'object' && properties !== null ? Object.keys(properties) : [],
    description: tool.description,
  };
}

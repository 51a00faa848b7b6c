/** The servers that an agent's definition names or describes: what may be used of them, and what not. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import { findInlineServer } from '../../config/mcp/find-servers.js';
import type { ConfiguredServer } from '../../config/mcp/server-config.js';

type Question = Parameters<typeof findInlineServer>[0];

export async function findOwnServers(
  question: Question,
  { name: agent, mcpServers = [], source }: AgentDefinition,
  known: ReadonlySet<string>,
): Promise<{ readonly servers: readonly ConfiguredServer[]; readonly lines: readonly string[] }> {
  const servers: ConfiguredServer[] = [];
  const lines: string[] = [];
  for (const { name, config } of mcpServers) {
    if (config === undefined) {
      if (!known.has(name)) lines.push(`agent ${agent}: there is no MCP server ${name}; it goes without`);
      continue;
    }
    const found = await findInlineServer(question, { source, name, raw: config });
    if ('reason' in found) lines.push(`agent ${agent}: its MCP server ${name} is not started: ${found.reason}`);
    else servers.push(found);
  }
  return { servers, lines };
}

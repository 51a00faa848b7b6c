/** The servers that an agent's definition names or describes: which of them may be used. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import { findInlineServer } from '../../config/mcp/find-inline-server.js';
import type { ServersQuery } from '../../config/mcp/read-servers.js';
import type { ConfiguredServer } from '../../config/mcp/server-config.js';
import type { OwnServers } from '../../tools/mcp/session-servers.js';

export async function findOwnServers(
  question: ServersQuery,
  { name: agent, mcpServers = [], source }: AgentDefinition,
  known: ReadonlySet<string>,
): Promise<OwnServers> {
  const servers: ConfiguredServer[] = [];
  const lines: string[] = [];
  const find = (name: string, raw: unknown) => findInlineServer(question, { source, agent, name, raw });
  for (const { name, config } of mcpServers) {
    if (config === undefined) {
      if (!known.has(name)) lines.push(`agent ${agent}: there is no MCP server ${name}; it goes without`);
      continue;
    }
    const found = await find(name, config);
    if (found.ok) servers.push(found.server);
    else lines.push(`agent ${agent}: its MCP server ${name} is not started: ${found.skipped.reason}`);
  }
  const whyNotAgain = async ({ name }: ConfiguredServer) => {
    const found = await find(name, mcpServers.find((one) => one.name === name)?.config);
    return found.ok ? undefined : found.skipped.reason;
  };
  return { servers, lines, whyNotAgain };
}

/** With `trust` for this run, the servers in definitions at the start are approved; later ones are not. */
export async function approveForThisRun(question: ServersQuery, definitions: Iterable<AgentDefinition>): Promise<void> {
  const none = new Set<string>();
  for (const definition of definitions) await findOwnServers({ ...question, trustThisRun: true }, definition, none);
}

/** The MCP servers that an agent starts with: the session's, and those of its definition. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { Result } from '../../protocol/result.js';
import type { OpenedServers } from '../../tools/mcp/session-servers.js';
import type { Tool } from '../../tools/tool.js';
import type { Runtime } from '../runtime.js';
import { waitForRequired } from './required-servers.js';

export type GivenServers = Result<{ readonly tools: readonly Tool[] } & OpenedServers>;

/** Costs nothing for an agent without its own servers. Waits for the required ones, and for its own to connect. */
export async function giveServers(
  runtime: Pick<Runtime, 'mcp' | 'tools' | 'host'>,
  definition: AgentDefinition,
  signal: AbortSignal,
): Promise<GivenServers> {
  const { mcp, host, tools: builtIn } = runtime;
  const { mcpServers = [], requiredMcpServers: required } = definition;
  const opened = mcpServers.length === 0 ? { servers: mcp, lines: [] } : await mcp.openFor(definition);
  const { servers, own } = opened;
  const giveUp = async (reason: string): Promise<GivenServers> => {
    await own?.rest();
    return { ok: false, reason };
  };
  // They start now; a required one may be among them.
  const connected = own?.settled(CONNECT_MS, signal);
  if (required.length > 0) await mcp.loaded();
  const missing = await waitForRequired({ required, servers, clock: host.clock, signal });
  if (missing !== undefined) return giveUp(missing);
  await connected;
  if (signal.aborted) return giveUp('the call was interrupted before that.');
  return { ok: true, ...opened, tools: [...builtIn, ...servers.tools()] };
}

/** Connecting has its own limit (MCP_TIMEOUT, with retries); this one is for servers that never finish. */
const CONNECT_MS = 120_000;

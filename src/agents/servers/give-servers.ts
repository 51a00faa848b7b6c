/** The MCP servers an agent starts with: the session's, and those its definition brings along. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { OpenedServers } from '../../tools/mcp/session-servers.js';
import type { Tool } from '../../tools/tool.js';
import type { Runtime } from '../runtime.js';
import { waitForRequired } from './required-servers.js';

export type GivenServers =
  | ({ readonly ok: true; readonly tools: readonly Tool[] } & OpenedServers)
  | { readonly ok: false; readonly reason: string };

/** An agent without servers of its own costs nothing. Waits for those it needs, and for its own to connect. */
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
  // They begin now; a required one may be among them.
  const connected = own?.settled(CONNECT_MS, signal);
  if (required.length > 0) await mcp.loaded();
  const missing = await waitForRequired({ required, servers, clock: host.clock, signal });
  if (missing !== undefined) return giveUp(missing);
  await connected;
  if (signal.aborted) return giveUp('the call was interrupted before that.');
  return { ok: true, ...opened, tools: [...builtIn, ...servers.tools()] };
}

/** A connect has a limit of its own (MCP_TIMEOUT, with its tries); this one is for those that never end. */
const CONNECT_MS = 120_000;

/** Server tools that an earlier process of the session declared: they find their servers when they are called. */

import type { Runtime } from '../../agents/runtime.js';
import { allowedBy } from '../../agents/servers/declare-servers.js';
import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { Tool } from '../../tools/tool.js';
import type { LoadedSession } from '../open/load-session.js';

export async function restoreServerTools(
  { mcp, ports, tools }: Runtime,
  { prefix }: LoadedSession,
  definition: AgentDefinition | undefined,
): Promise<readonly Tool[]> {
  if (prefix === undefined) return [];
  await mcp.loaded();
  const known = new Set(tools.map((tool) => tool.name));
  const declared = ports.model.loadPrefix(prefix).tools.filter(({ name }) => !known.has(name));
  mcp.remember(declared);
  return mcp.restored(declared, allowedBy(definition));
}

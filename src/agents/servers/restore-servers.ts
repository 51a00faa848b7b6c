/** The tools of a restored agent: built-in ones as they are now, those of servers as it had declared them. */

import type { AgentSpawned } from '../../protocol/events.js';
import type { Servers } from '../../tools/mcp/server-access.js';
import type { Tool, ToolDeclaration } from '../../tools/tool.js';
import type { Runtime } from '../runtime.js';
import { allowedBy } from './declare-servers.js';

export type RestoredServers = {
  /** `declared`: the tools in its prefix; undefined if that is lost. */
  toolsFor(declared: readonly ToolDeclaration[] | undefined): readonly Tool[];
  readonly own: Servers | undefined;
};

/** Connects to no server: a tool finds its server when it is called. */
export async function restoreServers(
  runtime: Pick<Runtime, 'mcp' | 'tools' | 'catalog'>,
  { type, tools: names }: AgentSpawned,
): Promise<RestoredServers> {
  const { mcp, tools: ours, catalog } = runtime;
  const definition = catalog.find(type);
  await mcp.loaded();
  const { servers, own } =
    definition?.mcpServers === undefined || definition.mcpServers.length === 0
      ? { servers: mcp, own: undefined }
      : { own: undefined, ...(await mcp.openFor(definition)) };
  const isNamed = ({ name }: { readonly name: string }) => names.includes(name);
  const known = new Set(ours.map((tool) => tool.name));
  return {
    own,
    toolsFor: (declared) => [
      ...ours.filter(isNamed),
      ...(declared === undefined
        ? servers.tools().filter(isNamed)
        : servers.restored(
            declared.filter((one) => isNamed(one) && !known.has(one.name)),
            allowedBy(definition),
          )),
    ],
  };
}

/** Finds a server in an agent's front matter; it is checked and judged like all others (MC-4, MC-13). */

import type { ProjectServer } from '../approvals/project-servers.js';
import type { DefinitionSource } from '../definitions/agent-definition.js';
import { createJudge } from './judge-servers.js';
import { type RawServer, readServers, type ServersQuery } from './read-servers.js';
import type { ConfiguredServer, SkippedServer } from './server-config.js';

export type InlineServer = {
  readonly source: Pick<DefinitionSource, 'scope' | 'file'>;
  /** The name of the agent. */
  readonly agent: string;
  readonly name: string;
  readonly raw: unknown;
};

export type InlineFound =
  | { readonly ok: true; readonly server: ConfiguredServer; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly skipped: SkippedServer /** To be approved. */; readonly project?: ProjectServer };

/** A server from a project's or a plugin's definition needs approval. */
export async function findInlineServer(
  query: ServersQuery,
  { source, agent, name, raw }: InlineServer,
): Promise<InlineFound> {
  const isForeign = source.scope === 'project' || source.scope === 'plugin';
  const entry: RawServer = { name, raw, origin: { scope: 'agent', file: source.file }, isForeign, isOfMcpJson: false };
  const isGiven = source.scope === 'flag' || source.scope === 'managed';
  if (query.strict && !isGiven) {
    const reason = '--strict-mcp-config: only the servers of --mcp-config are used';
    return { ok: false, skipped: { name, origin: entry.origin, transport: 'unknown', status: 'off', reason } };
  }
  const judged = await createJudge(query, await readServers(query))(entry, agent);
  return judged.may
    ? { ok: true, server: judged.server, warnings: judged.warnings }
    : { ok: false, skipped: judged.skipped, ...(judged.project ? { project: judged.project } : {}) };
}

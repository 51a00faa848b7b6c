/** Finds the servers of a project that wait for your approval (MC-11). */

import { type ProjectServer, serverApproval } from '../approvals/project-servers.js';
import type { AgentDefinition } from '../definitions/agent-definition.js';
import { openTrust } from '../trust.js';
import { findInlineServer } from './find-inline-server.js';
import { judgeServers } from './judge-servers.js';
import type { ServersQuery } from './read-servers.js';

export type UnapprovedServer = {
  readonly server: ProjectServer;
  /** The approved entry that it replaces, if that no longer exists. */
  readonly before: readonly string[];
};

/** Judges as if the folder were trusted. `definitions`: agents, which may define their own servers. */
export async function findUnapprovedServers(
  given: ServersQuery,
  definitions: Iterable<AgentDefinition>,
): Promise<readonly UnapprovedServer[]> {
  const query = { ...given, trusted: true, staysInside: !given.trusted };
  const { unapproved } = await judgeServers(query);
  const inline: ProjectServer[] = [];
  for (const { name: agent, source, mcpServers = [] } of definitions) {
    for (const { name, config } of mcpServers) {
      if (config === undefined) continue;
      const found = await findInlineServer(query, { source, agent, name, raw: config });
      if (!found.ok && found.project !== undefined) inline.push(found.project);
    }
  }
  const all = [...unapproved, ...inline];
  if (all.length === 0) return [];
  const approvals = await openTrust(query.host).approvals(query.approvalsRoot);
  return all.map((server) => ({ server, before: approvals.earlier(serverApproval(server)) }));
}

/** The names of the project's approved servers, which only need a trusted folder to run. */
export async function findApprovedServers(query: ServersQuery): Promise<readonly string[]> {
  const { servers } = await judgeServers({ ...query, trusted: true, staysInside: !query.trusted });
  // Servers that you added to the local settings don't need it.
  return servers.flatMap(({ may, entry: { name, isForeign, origin } }) =>
    may && isForeign && origin.scope !== 'local' ? [name] : [],
  );
}

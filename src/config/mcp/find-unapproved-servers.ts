/** Finds the servers of a project that wait for the person's approval, so that they can be shown and approved (MC-11). */

import { type ProjectServer, serverApproval } from '../approvals/project-servers.js';
import type { AgentDefinition } from '../definitions/agent-definition.js';
import { openTrust } from '../trust.js';
import { findInlineServer } from './find-inline-server.js';
import { judgeServers } from './judge-servers.js';
import type { ServersQuery } from './read-servers.js';

export type UnapprovedServer = {
  readonly server: ProjectServer;
  /** What was approved in its place, and is there no longer. */
  readonly before: readonly string[];
};

/** As if the folder were trusted. `definitions`: of agents, which may bring servers of their own. */
export async function findUnapprovedServers(
  question: ServersQuery,
  definitions: Iterable<AgentDefinition>,
): Promise<readonly UnapprovedServer[]> {
  const q = { ...question, trusted: true, staysInside: !question.trusted };
  const { unapproved } = await judgeServers(q);
  const inline: ProjectServer[] = [];
  for (const { name: agent, source, mcpServers = [] } of definitions) {
    for (const { name, config } of mcpServers) {
      if (config === undefined) continue;
      const found = await findInlineServer(q, { source, agent, name, raw: config });
      if (!found.ok && found.project !== undefined) inline.push(found.project);
    }
  }
  const all = [...unapproved, ...inline];
  if (all.length === 0) return [];
  const approvals = await openTrust(q.host).approvals(q.approvalsRoot);
  return all.map((server) => ({ server, before: approvals.earlier(serverApproval(server)) }));
}

/** The names of the project's servers that the person approved, and that wait for nothing but trust. */
export async function findApprovedServers(question: ServersQuery): Promise<readonly string[]> {
  const { servers } = await judgeServers({ ...question, trusted: true, staysInside: !question.trusted });
  // What the person added to the local settings does not wait for it.
  return servers.flatMap(({ may, entry: { name, isForeign, origin } }) =>
    may && isForeign && origin.scope !== 'local' ? [name] : [],
  );
}

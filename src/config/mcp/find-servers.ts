/** Finds the MCP servers of a session, and the reason why each of the others is not started (MC-1, MC-2). Starts nothing. */

import { describeUnapprovedServers } from '../approvals/project-servers.js';
import { type JudgedServer, judgeServers } from './judge-servers.js';
import type { ServersQuery } from './read-servers.js';
import type { ServersFound, SkippedServer } from './server-config.js';

export type { ServersQuery } from './read-servers.js';

export async function findServers(query: ServersQuery): Promise<ServersFound> {
  const judged = await judgeServers(query);
  const skipped = judged.servers.flatMap((one) => (one.may ? [] : [one.skipped]));
  const waiting = describeUnapprovedServers(
    judged.unapproved.map(({ name }) => name),
    query.trusted,
  );
  return {
    servers: judged.servers.flatMap((one) => (one.may ? [one.server] : [])),
    skipped,
    warnings: [
      ...judged.warnings,
      ...judged.servers.flatMap(warningsOf),
      ...describeSkipped(skipped),
      ...(waiting === undefined ? [] : [waiting]),
    ],
    errors: judged.errors,
  };
}

const MOST_LINES = 10;

function warningsOf({ entry, warnings }: JudgedServer): readonly string[] {
  return warnings.map((line) => `MCP server ${entry.name} (${entry.origin.file}): ${line}`);
}

/** Leaves out servers that wait for approval, which have their own message, and those that you turned off. */
function describeSkipped(skipped: readonly SkippedServer[]): readonly string[] {
  const reported = skipped.filter(({ status }) => status === 'skipped' || status === 'blocked');
  const lines = reported
    .slice(0, MOST_LINES)
    .map(({ name, origin, reason }) => `MCP server ${name} (${origin.file}) is not started: ${reason}`);
  const left = reported.length - lines.length;
  return left > 0 ? [...lines, `${left} more MCP servers are not started: coppice mcp list shows why`] : lines;
}

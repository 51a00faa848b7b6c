/** Servers that your program adds while a session runs: judged like those it was opened with. */

import { findServers } from '../../config/mcp/find-servers.js';
import type { ServersQuery } from '../../config/mcp/read-servers.js';
import type { GivenServers } from '../../tools/mcp/server-changes.js';

export async function findGivenServers(
  question: ServersQuery,
  given: Readonly<Record<string, unknown>>,
): Promise<GivenServers> {
  // Of the files, only managed ones apply: they take precedence.
  const found = await findServers({ ...question, mcpConfig: [], strict: true, given });
  const isGiven = (name: string) => Object.hasOwn(given, name);
  const others = found.servers.filter(({ name, origin }) => isGiven(name) && origin.scope !== 'library');
  const skipped = found.skipped.filter(({ origin }) => origin.scope === 'library');
  return {
    servers: found.servers.filter(({ origin }) => origin.scope === 'library'),
    skipped: [
      ...skipped,
      ...others.map(({ name, origin, config }) => ({
        name,
        origin,
        transport: config.kind,
        status: 'blocked' as const,
        reason: `overridden by the server of that name in ${origin.file}`,
      })),
    ],
    warnings: found.warnings,
  };
}

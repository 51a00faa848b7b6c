/** Finds the MCP servers of a session, before it opens. */

import { mayHaveServers } from '../../config/mcp/has-servers.js';
import type { ServersQuery } from '../../config/mcp/read-servers.js';
import type { ServersFound } from '../../config/mcp/server-config.js';
import type { SessionOptions } from '../session-options.js';

/** The servers and the query that found them: it is repeated when a project's server starts again. */
export type SessionServersFound = { readonly found: ServersFound; readonly question: ServersQuery };

export type ServersScope = Pick<
  ServersQuery,
  'host' | 'folder' | 'projectRoot' | 'approvalsRoot' | 'trusted' | 'settings' | 'ownEnv' | 'plugins'
> & { readonly options: SessionOptions };

const NONE: ServersFound = { servers: [], skipped: [], warnings: [], errors: [] };

/** Loads nothing if none is configured. */
export async function findSessionServers(scope: ServersScope): Promise<SessionServersFound> {
  const { host, folder, projectRoot, approvalsRoot, ownEnv, trusted, settings, plugins = [], options } = scope;
  const forThisRun = new Set<string>();
  const question: ServersQuery = {
    host,
    folder,
    projectRoot,
    approvalsRoot,
    ...(ownEnv === undefined ? {} : { ownEnv }),
    trusted,
    settings,
    plugins,
    // Servers added after the start are checked again.
    trustThisRun: false,
    forThisRun,
    ...(options.settingSources === undefined ? {} : { sources: options.settingSources }),
    ...(options.mcpConfig === undefined ? {} : { mcpConfig: options.mcpConfig }),
    ...(options.strictMcpConfig === undefined ? {} : { strict: options.strictMcpConfig }),
    ...(options.mcpServers === undefined ? {} : { given: options.mcpServers }),
  };
  if (!(await mayHaveServers(question))) return { found: NONE, question };
  const { findServers } = await import('../../config/mcp/find-servers.js');
  return { found: await findServers({ ...question, trustThisRun: options.trust === true }), question };
}

/** Opens the MCP servers of a session: they are connected in the background. */

import { withEnvironment } from '../../host/host.js';
import { markedSession, markProcesses } from '../../host/process-mark.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import type { Elicit } from '../../tools/mcp/connect/connection.js';
import { type LoadedServers, SessionServers } from '../../tools/mcp/session-servers.js';
import type { SessionConfig } from '../build/session-config.js';

export type ServersCalls = {
  readonly elicit: Elicit;
  /** Shows a warning to the user, at any time. */
  warn(line: string): void;
};

export function openServers(config: SessionConfig, calls: ServersCalls): SessionServers {
  const { found } = config.servers;
  const servers = new SessionServers(() => load(config, calls));
  if (found.servers.length + found.skipped.length > 0) servers.begin();
  return servers;
}

async function load(config: SessionConfig, calls: ServersCalls): Promise<LoadedServers> {
  const [{ ServerSet }, { ServerChanges }, { serverPorts }, { findOwnServers }, { findGivenServers }] =
    await Promise.all([
      import('../../tools/mcp/server-set.js'),
      import('../../tools/mcp/server-changes.js'),
      import('./server-ports.js'),
      import('./own-servers.js'),
      import('./given-servers.js'),
    ]);
  const { layout, roots, servers } = config;
  const { found, question } = servers;
  // A project's settings must not redirect what your own server sends.
  const host = withEnvironment(config.host, question.ownEnv ?? config.host.env);
  const mark = { session: markedSession(layout.file), agent: MAIN_AGENT, call: 'mcp' };
  const ports = serverPorts({
    host: markProcesses(host, mark),
    question,
    roots: () => roots,
    elicit: calls.elicit,
    warn: (line) => calls.warn(escapeToLine(line)),
  });
  const set = new ServerSet({
    configured: found.servers,
    skipped: found.skipped,
    ports,
    host,
    searchAboveTokens: config.settings.settings.mcp?.searchAboveTokens,
  });
  void set.connectAll();
  return {
    set,
    findOwn: (definition, known) => findOwnServers(question, definition, known),
    changes: new ServerChanges({ set, find: (given) => findGivenServers(question, given), warn: ports.warn }),
  };
}

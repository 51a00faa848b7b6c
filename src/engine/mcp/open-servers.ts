/** Opens the MCP servers of a session: which there are is read now, they are connected in the background. */

import { mayHaveServers } from '../../config/mcp/has-servers.js';
import type { ServersFound } from '../../config/mcp/server-config.js';
import { markedSession, markProcesses } from '../../host/process-mark.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { makeVisibleLine } from '../../protocol/make-visible.js';
import type { Elicit } from '../../tools/mcp/connect/connection.js';
import { lazyServers, type SessionServers } from '../../tools/mcp/session-servers.js';
import type { SessionConfig } from '../build/session-config.js';

export type ServersCalls = {
  readonly elicit: Elicit;
  /** A line for the person, at any time. */
  tell(line: string): void;
  /** While the session opens. */
  warn(line: string): void;
};

const NONE: ServersFound = { servers: [], skipped: [], warnings: [] };

export async function openServers(config: SessionConfig, calls: ServersCalls): Promise<SessionServers> {
  const question = questionOf(config);
  const found = (await mayHaveServers(question))
    ? await (await import('../../config/mcp/find-servers.js')).findServers(question)
    : NONE;
  for (const line of found.warnings) calls.warn(line);
  const servers = lazyServers(() => load(config, found, calls));
  if (found.servers.length + found.skipped.length > 0) servers.begin();
  return servers;
}

type Question = Parameters<typeof mayHaveServers>[0];

function questionOf({ host, folder, projectRoot, approvalsRoot, trusted, settings, options }: SessionConfig): Question {
  return {
    host,
    folder,
    projectRoot,
    approvalsRoot,
    trusted,
    settings,
    trustThisRun: options.trust === true,
    ...(options.settingSources === undefined ? {} : { sources: options.settingSources }),
    ...(options.mcpConfig === undefined ? {} : { mcpConfig: options.mcpConfig }),
    ...(options.strictMcpConfig === undefined ? {} : { strict: options.strictMcpConfig }),
    ...(options.mcpServers === undefined ? {} : { given: options.mcpServers }),
  };
}

async function load(config: SessionConfig, found: ServersFound, calls: ServersCalls): Promise<SessionServers> {
  const [{ SessionServerSet }, { serverPorts }, { findOwnServers }] = await Promise.all([
    import('../../tools/mcp/session-server-set.js'),
    import('./server-ports.js'),
    import('./own-servers.js'),
  ]);
  const { host, layout, roots } = config;
  const mark = { session: markedSession(layout.file), agent: MAIN_AGENT, call: 'mcp' };
  const ports = serverPorts({
    host: markProcesses(host, mark),
    roots: () => roots,
    elicit: calls.elicit,
    warn: (line) => calls.tell(makeVisibleLine(line)),
  });
  const set = new SessionServerSet(
    { configured: found.servers, skipped: found.skipped, ports, clock: host.clock },
    (definition, known) => findOwnServers(questionOf(config), definition, known),
  );
  void set.connectAll();
  return set;
}

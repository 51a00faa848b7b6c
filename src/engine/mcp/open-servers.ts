/** Opens the MCP servers of a session: which there are is read first, they are connected in the background. */

import { mayHaveServers } from '../../config/mcp/has-servers.js';
import type { ServersQuestion } from '../../config/mcp/read-servers.js';
import type { ServersFound } from '../../config/mcp/server-config.js';
import { markedSession, markProcesses } from '../../host/process-mark.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { makeVisibleLine } from '../../protocol/make-visible.js';
import type { Elicit } from '../../tools/mcp/connect/connection.js';
import { lazyServers, type SessionServers } from '../../tools/mcp/session-servers.js';
import type { SessionConfig } from '../build/session-config.js';

/** What there is, and the question it answers: it is asked again when a server of a project starts once more. */
export type SessionServersFound = { readonly found: ServersFound; readonly question: ServersQuestion };

export type ServersPlace = Pick<
  SessionConfig,
  'host' | 'folder' | 'projectRoot' | 'approvalsRoot' | 'trusted' | 'settings' | 'options'
>;

const NONE: ServersFound = { servers: [], skipped: [], warnings: [], errors: [] };

/** Nothing is loaded where none is configured. */
export async function findSessionServers(place: ServersPlace): Promise<SessionServersFound> {
  const { options, ...rest } = place;
  const forThisRun = new Set<string>();
  const question: ServersQuestion = {
    ...rest,
    // What comes later than the start is looked at again.
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

export type ServersCalls = {
  readonly elicit: Elicit;
  /** A line for the person, at any time. */
  tell(line: string): void;
};

export function openServers(config: SessionConfig, calls: ServersCalls): SessionServers {
  const { found } = config.servers;
  const servers = lazyServers(() => load(config, calls));
  if (found.servers.length + found.skipped.length > 0) servers.begin();
  return servers;
}

async function load(config: SessionConfig, calls: ServersCalls): Promise<SessionServers> {
  const [{ SessionServerSet }, { serverPorts }, { findOwnServers }] = await Promise.all([
    import('../../tools/mcp/session-server-set.js'),
    import('./server-ports.js'),
    import('./own-servers.js'),
  ]);
  const { host, layout, roots, servers } = config;
  const { found, question } = servers;
  const mark = { session: markedSession(layout.file), agent: MAIN_AGENT, call: 'mcp' };
  const ports = serverPorts({
    host: markProcesses(host, mark),
    question,
    roots: () => roots,
    elicit: calls.elicit,
    warn: (line) => calls.tell(makeVisibleLine(line)),
  });
  const set = new SessionServerSet(
    {
      configured: found.servers,
      skipped: found.skipped,
      ports,
      host,
      searchAboveTokens: config.settings.settings.mcp?.searchAboveTokens,
    },
    (definition, known) => findOwnServers(question, definition, known),
  );
  void set.connectAll();
  return set;
}

/** The ports of a server's connection: the SDK's client, sign-in, questions to you, approval. */

import { findServers } from '../../config/mcp/find-servers.js';
import type { ServersQuery } from '../../config/mcp/read-servers.js';
import type { ConfiguredServer } from '../../config/mcp/server-config.js';
import { serverEnvironment } from '../../config/mcp/server-environment.js';
import { processEnvironment } from '../../host/programs/process-environment.js';
import { connectServer } from '../../tools/mcp/connect/connect-server.js';
import type { ConnectRequest } from '../../tools/mcp/connect/connection.js';
import { openAuth } from '../../tools/mcp/oauth/open-auth.js';
import { isRemote } from '../../tools/mcp/oauth/remote-server.js';
import type { ServerPorts } from '../../tools/mcp/server.js';

export type PortsOptions = Pick<ConnectRequest, 'host' | 'roots' | 'elicit'> & {
  readonly question: ServersQuery;
  /** Shows a warning to the user. */
  warn(line: string): void;
};

export function serverPorts(options: PortsOptions): ServerPorts {
  const { host, roots, elicit, question, warn } = options;
  return {
    connect: connectServer,
    with: {
      host,
      roots,
      elicit,
      // A project's server was approved with the project's settings; your own server gets nothing of them.
      environment: (server, env) => {
        const given = server.isForeign ? question.host.env : env;
        return serverEnvironment(server, given, processEnvironment({ ...host, env: given }, 'command'));
      },
    },
    authFor: (server) => (isRemote(server) ? openAuth({ server, host }) : undefined),
    whyNotAgain: (server) => whyNotAgain(question, server),
    warn,
  };
}

/** A project's server that starts again must be the approved one: an agent may have changed what it runs. */
async function whyNotAgain(question: ServersQuery, server: ConfiguredServer): Promise<string | undefined> {
  if (!server.isForeign) return undefined;
  const { servers, skipped } = await findServers(question);
  const now = servers.find(({ name }) => name === server.name);
  if (now === undefined)
    return skipped.find(({ name }) => name === server.name)?.reason ?? 'it is no longer configured';
  const isSame = JSON.stringify(now.config) === JSON.stringify(server.config);
  return isSame ? undefined : 'its configuration has changed; restart the session';
}

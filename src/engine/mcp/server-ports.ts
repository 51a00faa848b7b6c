/** What a server needs of the session to be connected: the SDK's client, our sign-in, the person. */

import type { ConfiguredServer } from '../../config/mcp/server-config.js';
import { serverEnvironment } from '../../config/mcp/server-environment.js';
import type { ConnectRequest } from '../../tools/mcp/connect/connection.js';
import { connectServer } from '../../tools/mcp/connect/connect-server.js';
import type { ServerPorts } from '../../tools/mcp/server.js';

export type PortsOptions = Pick<ConnectRequest, 'host' | 'roots' | 'elicit'> & {
  /** A line for the person. */
  warn(line: string): void;
};

export function serverPorts({ host, roots, elicit, warn }: PortsOptions): Omit<ServerPorts, 'onChange'> {
  return {
    connect: connectServer,
    with: { host, roots, elicit },
    authFor: async (server) => (signsIn(server) ? openAuthFor(host, server) : undefined),
    warn,
  };
}

/** One with an `Authorization` of its own needs none: if it is refused, that is a failure. */
function signsIn({ config }: ConfiguredServer): boolean {
  if (config.kind !== 'http' && config.kind !== 'sse') return false;
  return !Object.keys(config.headers).some((name) => name.toLowerCase() === 'authorization');
}

/** Connects to real servers in a home of its own, and sees that nothing is left of them. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import type { ConfiguredServer, ServerConfig } from '../../../../../src/config/mcp/server-config.js';
import type { Environment, Host } from '../../../../../src/host/host.js';
import { nodeHost } from '../../../../../src/host/node-host.js';
import { connectServer } from '../../../../../src/tools/mcp/connect/connect-server.js';
import type {
  CallOptions,
  Connected,
  ConnectRequest,
  ServerConnection,
} from '../../../../../src/tools/mcp/connect/connection.js';
import { runningWith } from '../../../../support/processes.js';
import { scratchFolder } from '../../../../support/scratch.js';

export type ConnectStage = {
  readonly folder: string;
  readonly env: Environment;
  readonly host: Host;
  readonly changes: string[];
  readonly losses: string[];
  /** A server of ours, told what to do. Its command line has the folder in it. */
  readonly bad: (setup: object) => ServerConfig;
  readonly connect: (
    config: ServerConfig,
    more?: Partial<ConnectRequest> & Partial<ConfiguredServer>,
  ) => Promise<Connected>;
  readonly open: (
    config: ServerConfig,
    more?: Partial<ConnectRequest> & Partial<ConfiguredServer>,
  ) => Promise<ServerConnection>;
  /** Command lines of what still runs. */
  readonly running: () => readonly string[];
};

const require = createRequire(import.meta.url);
const REFERENCES = {
  everything: require.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  filesystem: require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
  memory: require.resolve('@modelcontextprotocol/server-memory/dist/index.js'),
};
const BAD_SERVER = fileURLToPath(new URL('../../../../fixtures/mcp/bad-server.mjs', import.meta.url));

export function reference(name: keyof typeof REFERENCES, ...args: string[]): ServerConfig {
  return { kind: 'stdio', command: process.execPath, args: [REFERENCES[name], ...args], env: {} };
}

/** `change` makes another machine of it, such as one with another clock. */
export async function setStage(
  change: (host: Host) => Host = (host) => host,
  more: Environment = {},
): Promise<ConnectStage> {
  const folder = await scratchFolder();
  const env = { PATH: process.env.PATH, HOME: folder, COPPICE_HOME: join(folder, 'coppice'), ...more };
  const host = change(nodeHost(folder, env));
  const changes: string[] = [];
  const losses: string[] = [];
  const open: ServerConnection[] = [];
  const running = () => runningWith(folder);
  onTestFinished(async () => {
    await Promise.all(open.map((one) => one.close()));
    expect(running()).toEqual([]);
  });
  const connect: ConnectStage['connect'] = async (
    config,
    { name = 'one', origin, isForeign = false, ...request } = {},
  ) => {
    const connected = await connectServer({
      server: { name, origin: origin ?? { scope: 'user', file: 'settings.json' }, config, isForeign },
      host,
      environment: ({ config: own }, given) => ({
        env: own.kind === 'stdio' ? { ...given, ...own.env } : given,
        withheld: [],
      }),
      roots: () => [folder],
      elicit: async () => ({ action: 'decline' }),
      onListChanged: (what) => void changes.push(what),
      onLost: (reason) => void losses.push(reason),
      signal: new AbortController().signal,
      ...request,
    });
    if (connected.ok) open.push(connected.connection);
    return connected;
  };
  return {
    folder,
    env,
    host,
    changes,
    losses,
    running,
    connect,
    bad: (setup) => ({
      kind: 'stdio',
      command: process.execPath,
      args: [BAD_SERVER, folder],
      env: { BAD: JSON.stringify(setup) },
    }),
    open: async (config, request) => {
      const connected = await connect(config, request);
      if (!connected.ok) throw new Error(`${connected.reason}\n${connected.stderr ?? ''}`);
      return connected.connection;
    },
  };
}

export function callOptions(more: Partial<CallOptions> = {}): CallOptions {
  return { agentId: 'main', signal: new AbortController().signal, progress: () => {}, ...more };
}

/** The texts of a result. */
export function textOf({ content }: Awaited<ReturnType<ServerConnection['callTool']>>): string {
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

/** Servers for tests of what they offer: each is a small connection in this process that does what the test says. */

import type { ConfiguredServer } from '../../../../../src/config/mcp/server-config.js';
import type { ServerReport } from '../../../../../src/protocol/mcp/server-report.js';
import type { CallOptions, ListedTool, ServerConnection } from '../../../../../src/tools/mcp/connect/connection.js';
import { nameServers } from '../../../../../src/tools/mcp/offer/names.js';
import type { ServerAccess, ServerOffer } from '../../../../../src/tools/mcp/server-access.js';

export type Calls = { readonly tool: string; readonly input: unknown; readonly agentId: string }[];

export type SmallServer = {
  readonly tools?: readonly unknown[];
  /** What a call gives. It may throw. */
  readonly call?: (tool: string, input: unknown, options: CallOptions) => unknown;
  readonly resources?: readonly unknown[];
  readonly read?: (uri: string) => unknown;
  readonly prompts?: readonly unknown[];
  readonly prompt?: (name: string, input: Readonly<Record<string, string>>) => unknown;
  readonly instructions?: string;
  readonly alwaysLoad?: boolean;
  readonly status?: ServerReport['status'];
};

export function configured(name: string, { alwaysLoad }: SmallServer = {}): ConfiguredServer {
  const config = { kind: 'stdio', command: 'x', args: [], env: {}, ...(alwaysLoad ? { alwaysLoad } : {}) } as const;
  return { name, origin: { scope: 'user', file: '/settings.json' }, config, isForeign: false };
}

export function offer(name: string, server: SmallServer): ServerOffer {
  const listed = (server.tools ?? []) as readonly ListedTool[];
  return { server: configured(name, server), listed, instructions: server.instructions, hasResources: false };
}

/** A tool as servers list them. */
export function listed(name: string, more: Readonly<Record<string, unknown>> = {}): ListedTool {
  return { name, description: `does ${name}`, inputSchema: { type: 'object' }, ...more } as ListedTool;
}

export type Servers = ServerAccess & { readonly calls: Calls; readonly offers: readonly ServerOffer[] };

export function openServers(servers: Readonly<Record<string, SmallServer>>): Servers {
  const calls: Calls = [];
  const names = Object.keys(servers).sort();
  return {
    calls,
    parts: () => nameServers(names),
    offers: names.map((name) => offer(name, servers[name] ?? {})),
    reports: () =>
      names.map((name) => ({
        name,
        scope: 'user',
        file: '/settings.json',
        transport: 'stdio',
        status: servers[name]?.status ?? 'connected',
        tools: [],
        tokens: 0,
      })),
    connection: async (name) => {
      const server = servers[name];
      if (server === undefined) throw new Error(`no server ${name}`);
      if (server.status === 'failed') throw new Error(`the MCP server ${name} does not run: it said no`);
      return connect(server, calls);
    },
  };
}

function connect(server: SmallServer, calls: Calls): ServerConnection {
  return {
    info: undefined,
    instructions: server.instructions,
    offers: { tools: true, resources: server.resources !== undefined, prompts: server.prompts !== undefined },
    listTools: async () => (server.tools ?? []) as never,
    listResources: async () => (server.resources ?? []) as never,
    listPrompts: async () => (server.prompts ?? []) as never,
    callTool: async (tool, input, options) => {
      calls.push({ tool, input, agentId: options.agentId });
      return (await server.call?.(tool, input, options)) as never;
    },
    readResource: async (uri) => (await server.read?.(uri)) as never,
    getPrompt: async (name, input) => (await server.prompt?.(name, input)) as never,
    rootsChanged: () => {},
    close: async () => {},
  };
}

/** The smallest PNG there is. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

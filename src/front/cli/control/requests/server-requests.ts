/** Requests about MCP servers: status, replacing, reconnecting, turning off, resources. */

import { isObject } from '../../../../protocol/json/json-values.js';
import type { ServerReport, ServerToolDetails } from '../../../../protocol/mcp/server-report.js';
import { SERVER_STATUS, serverScope, serverSource } from '../../../view/stream-json/server-status.js';
import type { ClientServers } from '../client-servers.js';
import { type RequestContext, type RequestFields, type RequestHandlers, RequestRefused } from './request-handler.js';

export const serverRequests: RequestHandlers = {
  mcp_message: async ({ server_name, message }, { servers }) => {
    const refusal = servers.take(server_name, message);
    if (refusal !== undefined) throw new RequestRefused(refusal);
    return {};
  },
  mcp_status: async (_, { session }) => {
    const found = await session.execute({ type: 'servers', details: true });
    if (!found.ok) throw new RequestRefused(found.reason);
    return { mcpServers: found.servers.map(describeServer) };
  },
  mcp_set_servers: async ({ servers: given }, { session, servers }) => {
    if (!isObject(given)) {
      throw new RequestRefused('mcp_set_servers: servers must be an object');
    }
    const set = await session.execute({ type: 'set-servers', servers: withInProcess(given, servers) });
    if (!set.ok) throw new RequestRefused(set.reason);
    const { added, removed, errors } = set;
    return { added, removed, errors };
  },
  mcp_reconnect: async (request, context) => {
    const server = await findServer(request, context);
    const done = await context.session.execute({ type: 'reconnect-servers', server });
    if (!done.ok) throw new RequestRefused(done.reason);
    const { status, reason = status } = done.servers.find(({ name }) => name === server) ?? { status: 'failed' };
    if (status !== 'connected') throw new RequestRefused(reason);
    return {};
  },
  mcp_toggle: async (request, context) => {
    if (typeof request.enabled !== 'boolean') throw new RequestRefused('mcp_toggle: enabled must be true or false');
    const server = await findServer(request, context);
    const done = await context.session.execute({ type: 'toggle-server', server, enabled: request.enabled });
    if (!done.ok) throw new RequestRefused(done.reason);
    return {};
  },
  mcp_read_resource: async (request, context) => {
    const { uri } = request;
    if (typeof uri !== 'string') throw new RequestRefused('mcp_read_resource: uri must be a string');
    const server = await findServer(request, context);
    const read = await context.session.execute({ type: 'read-resource', server, uri });
    if (!read.ok) throw new RequestRefused(read.reason);
    return { contents: read.contents };
  },
};

/** Clients recognise this message for an unknown name. */
async function findServer({ serverName }: RequestFields, { session }: RequestContext): Promise<string> {
  const found = await session.execute({ type: 'servers' });
  const names = found.ok ? found.servers.map(({ name }) => name) : [];
  if (typeof serverName === 'string' && names.includes(serverName)) return serverName;
  throw new RequestRefused(`Server not found: ${String(serverName).slice(0, 200)}`);
}

/** Servers in the client's process are recognised by their type; the others are entries. */
function withInProcess(given: object, servers: ClientServers): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(given).map(([name, entry]: [string, unknown]) => {
      const isInProcess = typeof entry === 'object' && entry !== null && 'type' in entry && entry.type === 'sdk';
      return [name, isInProcess ? servers.entry(name, { ...entry }) : entry];
    }),
  );
}

function describeServer(report: ServerReport): object {
  const { name, status, reason, transport, details } = report;
  return {
    name,
    status: SERVER_STATUS[status],
    ...(details?.info === undefined ? {} : { serverInfo: details.info }),
    ...(reason === undefined ? {} : { error: reason }),
    ...(details?.entry === undefined ? {} : { config: { ...details.entry, type: transport } }),
    transport: transport === 'in-process' ? 'sdk' : transport,
    scope: serverScope(report),
    source: serverSource(report),
    ...(status === 'connected' ? { tools: (details?.tools ?? []).map(describeTool) } : {}),
  };
}

/** Omits hints that are false; to a client that is the same. */
function describeTool({ name, description, readOnly, destructive, openWorld }: ServerToolDetails): object {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    annotations: {
      ...(readOnly ? { readOnly } : {}),
      ...(destructive ? { destructive } : {}),
      ...(openWorld ? { openWorld } : {}),
    },
  };
}

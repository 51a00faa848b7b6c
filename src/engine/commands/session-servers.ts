/** What a person does with the MCP servers of a session: looks at them, gives others, connects them, uses what they have. */

import type { CommandOf } from '../../protocol/commands.js';
import type { Engine } from '../engine.js';
import type { ListedPrompts, ReadResource, Reported, ServersGiven } from './command-results.js';

/** A connect has limits of its own. */
const LONGEST_MS = 300_000;

export async function reportServers(
  { runtime, servers, driver }: Engine,
  { wait = false, details = false }: CommandOf<'servers'>,
): Promise<Reported> {
  await runtime.mcp.loaded();
  if (wait) await servers.settled(LONGEST_MS, driver.signal);
  const reports = servers.reports();
  if (!details) return { ok: true, servers: reports };
  const withDetails = reports.map((report) => {
    const found = servers.details(report.name);
    return found === undefined ? report : { ...report, details: found };
  });
  return { ok: true, servers: withDetails };
}

export async function reconnectServers({ runtime, servers }: Engine, server: string | undefined): Promise<Reported> {
  await runtime.mcp.loaded();
  const known = servers.reports();
  const found = server === undefined ? undefined : known.find(({ name }) => name === server);
  if (server !== undefined && found === undefined) {
    const names = known.map(({ name }) => name).join(', ') || 'none';
    return { ok: false, reason: `there is no MCP server ${server}. There are: ${names}` };
  }
  if (found !== undefined && ['off', 'not-approved', 'blocked', 'skipped'].includes(found.status)) {
    return { ok: false, reason: `${server} is not started: ${found.reason ?? found.status}` };
  }
  await servers.reconnect(server);
  return { ok: true, servers: servers.reports() };
}

export async function toggleServer(
  { runtime, servers }: Engine,
  { server, enabled }: CommandOf<'toggle-server'>,
): Promise<Reported> {
  const refusal = await runtime.mcp.toggle(server, enabled);
  return refusal === undefined ? { ok: true, servers: servers.reports() } : { ok: false, reason: refusal };
}

export async function setServers({ runtime }: Engine, { servers }: CommandOf<'set-servers'>): Promise<ServersGiven> {
  return { ok: true, ...(await runtime.mcp.give(servers)) };
}

/** It is read over the connection there is: to look at something starts no server. */
export async function readResource(
  { servers, driver }: Engine,
  { server, uri }: CommandOf<'read-resource'>,
): Promise<ReadResource> {
  const report = servers.reports().find(({ name }) => name === server);
  if (report?.status !== 'connected') {
    const why = report === undefined ? 'there is no such server' : (report.reason ?? report.status);
    return { ok: false, reason: `the MCP server ${server} is not connected: ${why}` };
  }
  const connection = await servers.connection(server, driver.signal);
  const { contents } = await connection.readResource(uri, driver.signal);
  return { ok: true, contents };
}

export async function listServerPrompts({ runtime, servers, driver }: Engine): Promise<ListedPrompts> {
  await runtime.mcp.loaded();
  if (servers.reports().length === 0) return { ok: true, prompts: [] };
  const { listPromptCommands } = await import('../prompt/server-prompts.js');
  const commands = await listPromptCommands(servers, driver.signal);
  const prompts = commands.map(({ name, server, prompt }) => ({
    name,
    server,
    ...(prompt.description === undefined ? {} : { description: prompt.description }),
    arguments: (prompt.arguments ?? []).map(({ name: argument, description, required = false }) => ({
      name: argument,
      ...(description === undefined ? {} : { description }),
      required,
    })),
  }));
  return { ok: true, prompts };
}

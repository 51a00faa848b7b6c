/** Commands for the MCP servers of a session: list, set, connect, toggle, and read their resources and prompts. */

import { aborted } from '../../host/clock.js';
import type { CommandOf } from '../../protocol/commands.js';
import type { Engine } from '../engine.js';
import type { ListedPrompts, ReadResource, Reported, ServersGiven } from './command-results.js';

/** A connection has its own limits. */
const LONGEST_MS = 300_000;

export async function reportServers(
  { runtime, servers, driver }: Engine,
  { wait = false, details = false }: CommandOf<'servers'>,
): Promise<Reported> {
  await runtime.mcp.loaded();
  if (wait) await servers.settled(LONGEST_MS, driver.begin());
  const reports = servers.reports();
  if (!details) return { ok: true, servers: reports };
  const withDetails = reports.map((report) => {
    const found = servers.details(report.name);
    return found === undefined ? report : { ...report, details: found };
  });
  return { ok: true, servers: withDetails };
}

export async function reconnectServers(engine: Engine, server: string | undefined): Promise<Reported> {
  const { runtime, servers } = engine;
  await runtime.mcp.loaded();
  const known = servers.reports();
  const found = server === undefined ? undefined : known.find(({ name }) => name === server);
  if (server !== undefined && found === undefined) {
    const names = known.map(({ name }) => name).join(', ') || 'none';
    return { ok: false, reason: `no MCP server ${server}. Available: ${names}` };
  }
  if (found !== undefined && ['off', 'not-approved', 'blocked', 'skipped'].includes(found.status)) {
    return { ok: false, reason: `${server} is off: ${found.reason ?? found.status}` };
  }
  if ((await unlessInterrupted(engine, servers.reconnect(server))) === INTERRUPTED) return STILL_CONNECTING;
  return { ok: true, servers: servers.reports() };
}

export async function toggleServer(engine: Engine, { server, enabled }: CommandOf<'toggle-server'>): Promise<Reported> {
  const { runtime, servers } = engine;
  const refusal = await unlessInterrupted(engine, runtime.mcp.toggle(server, enabled));
  if (refusal === INTERRUPTED) return STILL_CONNECTING;
  return refusal === undefined ? { ok: true, servers: servers.reports() } : { ok: false, reason: refusal };
}

export async function setServers(engine: Engine, { servers }: CommandOf<'set-servers'>): Promise<ServersGiven> {
  const set = await unlessInterrupted(engine, engine.runtime.mcp.give(servers));
  return set === INTERRUPTED ? STILL_CONNECTING : { ok: true, ...set };
}

const INTERRUPTED = Symbol('interrupted');
const STILL_CONNECTING = { ok: false, reason: 'interrupted; the servers continue to connect' } as const;

/** Waits for no server when the session closes or is interrupted. */
async function unlessInterrupted<T>({ driver }: Engine, work: Promise<T>): Promise<T | typeof INTERRUPTED> {
  const interrupted = aborted(driver.begin()).then((): typeof INTERRUPTED => INTERRUPTED);
  work.catch(() => {});
  return Promise.race([work, interrupted]);
}

/** Reads over the existing connection: reading starts no server. */
export async function readResource(
  { servers, driver }: Engine,
  { server, uri }: CommandOf<'read-resource'>,
): Promise<ReadResource> {
  const report = servers.reports().find(({ name }) => name === server);
  if (report?.status !== 'connected') {
    const why = report === undefined ? 'unknown server' : (report.reason ?? report.status);
    return { ok: false, reason: `the MCP server ${server} is not connected: ${why}` };
  }
  const signal = driver.begin();
  const connection = await servers.connection(server, signal);
  const { contents } = await connection.readResource(uri, signal);
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

/** What a person does with the MCP servers of a session: looks at them, connects them again, lists their prompts. */

import type { Engine } from '../engine.js';
import type { ListedPrompts, Reported } from './command-results.js';

/** A connect has limits of its own. */
const LONGEST_MS = 300_000;

export async function reportServers({ runtime, servers, driver }: Engine, wait: boolean): Promise<Reported> {
  await runtime.mcp.loaded();
  if (wait) await servers.settled(LONGEST_MS, driver.signal);
  return { ok: true, servers: servers.reports() };
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

/** Servers of a session or of an agent, with what they offer as tools. */

import type { ConfiguredServer, SkippedServer } from '../../config/mcp/server-config.js';
import type { Clock } from '../../host/clock.js';
import type { ServerReport } from '../../protocol/mcp/server-report.js';
import type { Tool, ToolDeclaration } from '../tool.js';
import type { ServerConnection } from './connect/connection.js';
import { estimateTokens, type MadeTools, makeServerTools } from './offer/make-tools.js';
import { nameServers } from './offer/names.js';
import { createResourceTools } from './offer/resource-tools.js';
import { restoredTool } from './restored-tool.js';
import { Server, type ServerPorts } from './server.js';
import type { ServerOffer } from './server-access.js';
import type { Servers } from './session-servers.js';

export type ServerSetOptions = {
  readonly configured: readonly ConfiguredServer[];
  /** Told of, not started. */
  readonly skipped: readonly SkippedServer[];
  readonly ports: Omit<ServerPorts, 'onChange'>;
  readonly clock: Clock;
  /** Those of the session, for an agent with servers of its own. */
  readonly base?: Servers;
};

type Made = MadeTools & { readonly offers: readonly ServerOffer[]; readonly base: readonly Tool[] };

export class ServerSet implements Servers {
  readonly #options: ServerSetOptions;
  /** By name, sorted. */
  #servers: ReadonlyMap<string, Server>;
  #made: Made | undefined;
  /** Called at each change, once. */
  #onChange: (() => void)[] = [];

  constructor(options: ServerSetOptions) {
    this.#options = options;
    this.#servers = this.#fresh(false);
  }

  #fresh(hasBegun: boolean): ReadonlyMap<string, Server> {
    const { configured, ports } = this.#options;
    const onChange = () => {
      for (const told of this.#onChange.splice(0)) told();
    };
    const servers = configured.map((one) => new Server(one, { ...ports, onChange }, hasBegun));
    return new Map(servers.sort((a, b) => (a.name < b.name ? -1 : 1)).map((one) => [one.name, one]));
  }

  reports(): readonly ServerReport[] {
    const { skipped, base } = this.#options;
    const { tools } = this.#offered();
    const own = [...this.#servers.values()].map((server) => this.#report(server, tools));
    const others = skipped.map(({ name, origin, transport, status, reason }) => {
      return { name, ...origin, transport, status, reason, tools: [], tokens: 0 };
    });
    const inherited = (base?.reports() ?? []).filter(({ name }) => !this.#servers.has(name));
    return [...own, ...others, ...inherited].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #report(server: Server, tools: readonly Tool[]): ServerReport {
    const { name, status, trouble } = server;
    const { origin, config } = server.configured;
    const part = this.#parts().get(name);
    const own = tools.filter((tool) => serverPart(tool.name) === part);
    return {
      name,
      ...origin,
      transport: config.kind,
      status,
      ...(trouble.reason === undefined ? {} : { reason: trouble.reason }),
      ...(trouble.stderr === undefined ? {} : { stderr: trouble.stderr }),
      tools: own.map((tool) => tool.name),
      tokens: own.reduce((sum, tool) => sum + estimateTokens(tool), 0),
    };
  }

  tools(): readonly Tool[] {
    return this.#offered().tools;
  }

  offers(): readonly ServerOffer[] {
    return [...this.#offered().offers, ...(this.#options.base?.offers() ?? [])];
  }

  dropped(): readonly string[] {
    return this.#offered().dropped;
  }

  async connection(name: string, signal: AbortSignal): Promise<ServerConnection> {
    const server = this.#servers.get(name);
    if (server !== undefined) return server.connection(signal);
    const { base, skipped } = this.#options;
    if (base !== undefined) return base.connection(name, signal);
    const why = skipped.find((one) => one.name === name)?.reason ?? 'it is not configured in this session';
    throw new Error(`The MCP server ${name} is not there: ${why}`);
  }

  /** Never rejects. */
  async connectAll(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.connect()));
  }

  async settled(ms: number, signal: AbortSignal): Promise<void> {
    const all = this.connectAll();
    const over = new AbortController();
    const stop = () => over.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await Promise.race([all, this.#options.clock.sleep(ms, signal.aborted ? signal : over.signal)]);
    } finally {
      signal.removeEventListener('abort', stop);
      over.abort();
    }
  }

  async reconnect(name?: string): Promise<void> {
    const meant = [...this.#servers.values()].filter((server) => name === undefined || server.name === name);
    await Promise.all(meant.map((server) => server.reconnect()));
  }

  restored(declared: readonly ToolDeclaration[]): readonly Tool[] {
    const resources = createResourceTools(this);
    const parts = new Set(this.#parts().values());
    return declared.flatMap((declaration) => {
      if (!declaration.name.startsWith('mcp__')) return resources.filter((tool) => tool.name === declaration.name);
      if (!parts.has(serverPart(declaration.name))) return [];
      const now = () => this.tools().find((tool) => tool.name === declaration.name);
      return [restoredTool(declaration, now, (signal) => this.#connectFor(declaration.name, signal))];
    });
  }

  async #connectFor(tool: string, signal: AbortSignal): Promise<void> {
    const part = serverPart(tool);
    const own = [...this.#parts()].find(([, known]) => known === part)?.[0];
    await this.connection(own ?? part, signal);
  }

  async rest(): Promise<void> {
    const ended = [...this.#servers.values()];
    this.#servers = this.#fresh(true);
    await Promise.all(ended.map((server) => server.close()));
  }

  /** For good. */
  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }

  /** Of its own servers and those it stands beside, so that no two share a name. */
  #parts(): ReadonlyMap<string, string> {
    const { skipped, base } = this.#options;
    const others = [...skipped, ...(base?.reports() ?? [])].map(({ name }) => name);
    return nameServers([...new Set([...this.#servers.keys(), ...others])]);
  }

  #offered(): Made {
    const offers = [...this.#servers.values()].flatMap(({ offer }) => (offer === undefined ? [] : [offer]));
    const base = this.#options.base?.tools() ?? [];
    if (this.#made?.base === base && isSame(this.#made.offers, offers)) return this.#made;
    const parts = this.#parts();
    const own = makeServerTools(offers, [...parts.keys()], this);
    const replaced = new Set([...this.#servers.keys()].map((name) => parts.get(name)));
    const resources = offers.some(({ hasResources }) => hasResources) ? createResourceTools(this) : [];
    const names = new Set(resources.map((tool) => tool.name));
    const inherited = base.filter((tool) => !replaced.has(serverPart(tool.name)) && !names.has(tool.name));
    const tools = [...own.tools, ...resources, ...inherited].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.#made = { ...own, tools, offers, base };
    return this.#made;
  }
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}

/** `mcp__S__T`: S never contains `__`. Empty for a tool that is of no server. */
function serverPart(tool: string): string {
  return /^mcp__(.+?)__/.exec(tool)?.[1] ?? '';
}

/** The servers of a session or an agent, and the tools they offer. */

import type { ConfiguredServer, SkippedServer } from '../../config/mcp/server-config.js';
import type { Host } from '../../host/host.js';
import type { ServerDetails, ServerReport } from '../../protocol/mcp/server-report.js';
import type { Tool, ToolDeclaration } from '../tool.js';
import type { ServerConnection } from './connect/connection.js';
import { createOffering, type MadeTools, type Offering } from './offer/make-tools.js';
import { nameServers } from './offer/names.js';
import { createResourceTools } from './offer/resource-tools.js';
import { type ResultLimits, readResultLimits } from './offer/result-limits.js';
import { declareForSearch, readSearchRule } from './offer/search.js';
import type { LateServers } from './offer/search-tool.js';
import { isServerTool } from './offer/server-tool.js';
import { restoredTool } from './restored-tool.js';
import { Server, type ServerPorts } from './server.js';
import type { DeclareRule, ServerOffer, Servers } from './server-access.js';
import { detailsOf, reportOf } from './server-details.js';

export type ServerSetOptions = {
  readonly configured: readonly ConfiguredServer[];
  /** Listed, but not started. */
  readonly skipped: readonly SkippedServer[];
  readonly ports: ServerPorts;
  /** For its clock and variables. */
  readonly host: Host;
  /** The setting `mcp.searchAboveTokens`. */
  readonly searchAboveTokens: number | undefined;
  /** The session's servers, for an agent with its own. */
  readonly base?: Servers;
};

export type ServersChange = {
  /** Includes those listed but not started. */
  readonly gone: ReadonlySet<string>;
  readonly come: readonly ConfiguredServer[];
  readonly skipped: readonly SkippedServer[];
  /** The new ones were started before. */
  readonly hasBegun: boolean;
};

type Made = {
  readonly tools: readonly Tool[];
  readonly dropped: readonly string[];
  readonly offers: readonly ServerOffer[];
  readonly base: readonly Tool[];
};

/** How long a search waits for servers that are still connecting. */
const SEARCH_WAIT_MS = 60_000;

export class ServerSet implements Servers {
  readonly #options: ServerSetOptions;
  readonly #limits: ResultLimits;
  readonly #offering: Offering;
  readonly #resources: readonly Tool[];
  /** By name, sorted. */
  #servers: ReadonlyMap<string, Server>;
  #skipped: readonly SkippedServer[];
  #made: Made | undefined;
  /** Tools that an earlier process declared, by server. */
  #remembered: ReadonlyMap<string, readonly Tool[]> = new Map();
  #remembersResources = false;

  constructor(options: ServerSetOptions) {
    this.#options = options;
    this.#limits = readResultLimits(options.host.env);
    this.#offering = createOffering(this, this.#limits);
    this.#resources = createResourceTools(this, this.#limits);
    this.#servers = this.#fresh(options.configured, false);
    this.#skipped = options.skipped;
  }

  #fresh(configured: readonly ConfiguredServer[], hasBegun: boolean): ReadonlyMap<string, Server> {
    return byName(configured.map((one) => new Server(one, this.#options.ports, hasBegun)));
  }

  reports(): readonly ServerReport[] {
    const { base } = this.#options;
    const tools = this.tools().filter(isServerTool);
    const own = [...this.#servers.values()].map((server) => reportOf(server, tools));
    const others = this.#skipped.map(({ name, origin, transport, status, reason }) => {
      return { name, ...origin, transport, status, reason, tools: [], tokens: 0 };
    });
    const inherited = (base?.reports() ?? []).filter(({ name }) => !this.#servers.has(name));
    return [...own, ...others, ...inherited].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  details(name: string): ServerDetails | undefined {
    const server = this.#servers.get(name);
    return server === undefined ? this.#options.base?.details(name) : detailsOf(server);
  }

  tools(): readonly Tool[] {
    return this.#offered().tools;
  }

  offers(): readonly ServerOffer[] {
    return [...this.#offered().offers, ...(this.#options.base?.offers() ?? [])];
  }

  limits(): ResultLimits {
    return this.#limits;
  }

  dropped(): readonly string[] {
    return this.#offered().dropped;
  }

  async connection(name: string, signal: AbortSignal): Promise<ServerConnection> {
    const server = this.#servers.get(name);
    if (server !== undefined) return server.connection(signal);
    const { base } = this.#options;
    if (base !== undefined) return base.connection(name, signal);
    const why = this.#skipped.find((one) => one.name === name)?.reason ?? 'it is not configured in this session';
    throw new Error(`The MCP server ${name} is not there: ${why}`);
  }

  /** Never rejects. */
  async connectAll(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.connect()));
  }

  async settled(ms: number, signal: AbortSignal): Promise<void> {
    const all = Promise.all([this.connectAll(), this.#options.base?.settled(ms, signal)]);
    const over = new AbortController();
    const stop = () => over.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await Promise.race([all, this.#options.host.clock.sleep(ms, signal.aborted ? signal : over.signal)]);
    } finally {
      signal.removeEventListener('abort', stop);
      over.abort();
    }
  }

  async reconnect(name?: string): Promise<void> {
    const resolved = [...this.#servers.values()].filter((server) => name === undefined || server.name === name);
    const isOther = name === undefined || resolved.length === 0;
    await Promise.all([
      ...resolved.map((server) => server.reconnect()),
      isOther && this.#options.base?.reconnect(name),
    ]);
  }

  declared(tools: readonly Tool[], { window, named, mayHave }: DeclareRule): readonly Tool[] {
    const { host, searchAboveTokens: aboveTokens } = this.#options;
    const rule = readSearchRule({ env: host.env, window, ...(aboveTokens === undefined ? {} : { aboveTokens }) });
    const isLate = this.reports().some(({ name, status }) => status === 'connecting' && !this.#remembered.has(name));
    return declareForSearch(tools, { ...rule, named }, isLate ? this.#late(mayHave) : undefined).declared;
  }

  restored(declared: readonly ToolDeclaration[], mayHave: DeclareRule['mayHave']): readonly Tool[] {
    const search = declareForSearch([], { aboveTokens: 0 }, this.#late(mayHave)).declared;
    const known = [...this.#resources, ...search];
    return declared.flatMap((declaration) => {
      const { name } = declaration;
      const ours = known.find((tool) => tool.name === name);
      if (ours !== undefined) return [{ ...ours, ...declaration }];
      const server = this.#serverOf(name);
      if (server === undefined) return [];
      // Excludes tools that are only remembered.
      const now = () => this.tools().find((tool) => tool.name === name && isServerTool(tool));
      return [restoredTool(declaration, now, async (signal) => void (await this.connection(server, signal)))];
    });
  }

  remembers(): boolean {
    const isUnheard = ({ name, offer }: Server) => offer === undefined && this.#remembered.has(name);
    return [...this.#servers.values()].some(isUnheard);
  }

  remember(declared: readonly ToolDeclaration[]): void {
    const remembered = new Map<string, Tool[]>();
    for (const declaration of declared) {
      const server = this.#serverOf(declaration.name);
      const tools = server === undefined ? [] : this.restored([declaration], (all) => all);
      if (server !== undefined) remembered.set(server, [...(remembered.get(server) ?? []), ...tools]);
    }
    this.#remembered = remembered;
    this.#remembersResources = declared.some(({ name }) => this.#resources.some((tool) => tool.name === name));
    this.#made = undefined;
  }

  async rest(): Promise<void> {
    const ended = [...this.#servers.values()];
    this.#servers = this.#fresh(this.configured(), true);
    this.#made = undefined;
    await Promise.all(ended.map((server) => server.close()));
  }

  configured(): readonly ConfiguredServer[] {
    return [...this.#servers.values()].map((server) => server.configured);
  }

  /** Stops removed servers and connects added ones. Resolves when each has ended, is connected or has failed. */
  async change({ gone, come, skipped, hasBegun }: ServersChange): Promise<void> {
    const parts = this.parts();
    const ended = [...this.#servers.values()].filter(({ name }) => gone.has(name));
    const stay = [...this.#servers.values()].filter(({ name }) => !gone.has(name));
    const fresh = [...this.#fresh(come, hasBegun).values()];
    this.#servers = byName([...stay, ...fresh]);
    this.#skipped = [...this.#skipped.filter(({ name }) => !gone.has(name)), ...skipped];
    // Otherwise a change shows in the offers.
    if (this.#remembered.size > 0 || !stay.every(({ name }) => parts.get(name) === this.parts().get(name))) {
      this.#made = undefined;
    }
    await Promise.all([...ended.map((server) => server.close()), ...fresh.map((server) => server.connect())]);
  }

  /** An agent's own servers, with these as the session's. */
  extend(configured: readonly ConfiguredServer[], whyNotAgain: ServerPorts['whyNotAgain']): ServerSet {
    const ports = { ...this.#options.ports, whyNotAgain };
    return new ServerSet({ ...this.#options, configured, skipped: [], ports, base: this });
  }

  /** Closes permanently. */
  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }

  #late(mayHave: DeclareRule['mayHave']): LateServers {
    const failed = () => this.reports().filter(({ status }) => status === 'failed' || status === 'needs-sign-in');
    return {
      settled: (signal) => this.settled(SEARCH_WAIT_MS, signal),
      tools: () => mayHave(this.tools()).filter(isServerTool),
      failures: () =>
        failed().map(({ name, reason }) => `the MCP server ${name} is not there: ${reason ?? 'it failed'}`),
    };
  }

  /** The server of a declared name, by its part of the name. Long names are cut. */
  #serverOf(tool: string): string | undefined {
    const startable = new Set([
      ...this.#servers.keys(),
      ...(this.#options.base?.reports() ?? []).map(({ name }) => name),
    ]);
    const starts = [...this.parts()].filter(([name]) => startable.has(name));
    const whole = starts.find(([, part]) => tool.startsWith(`mcp__${part}__`));
    const cut = starts.find(([, part]) => `mcp__${part}__`.startsWith(tool.slice(0, CUT_AT)));
    return (whole ?? cut)?.[0];
  }

  /**
   * Name parts for its own servers and the session's, so that no two share a name. A server that may not run has none.
   */
  parts(): ReadonlyMap<string, string> {
    const { base } = this.#options;
    const foreign = new Set(
      this.configured()
        .filter(({ isForeign }) => isForeign)
        .map(({ name }) => name),
    );
    const names = [...this.#servers.keys()];
    const known = [...(base?.parts() ?? [])].filter(([name]) => !this.#servers.has(name));
    return new Map([...known, ...nameServers(names, { foreign, taken: known.map(([, part]) => part) })]);
  }

  #offered(): Made {
    const offers = [...this.#servers.values()].flatMap(({ offer }) => (offer === undefined ? [] : [offer]));
    const base = this.#options.base?.tools() ?? NONE;
    if (this.#made?.base === base && isSame(this.#made.offers, offers)) return this.#made;
    const { tools: own, dropped }: MadeTools = this.#offering.make(offers, this.parts());
    const unheard = [...this.#servers.values()].filter(({ offer }) => offer === undefined);
    const remembered = unheard.flatMap(({ name }) => this.#remembered.get(name) ?? []);
    const hasResources = offers.some((offer) => offer.hasResources) || (unheard.length > 0 && this.#remembersResources);
    const resources = hasResources ? this.#resources : [];
    const replaced = new Set(resources.map((tool) => tool.name));
    const inherited = base.filter((tool) => !replaced.has(tool.name) && !this.#replaces(tool));
    const tools = [...own, ...remembered, ...resources, ...inherited].sort((a, b) => (a.name < b.name ? -1 : 1));
    const made = { tools, dropped, offers, base };
    this.#made = made;
    return made;
  }

  /** An agent's own server replaces the session's server of the same name. */
  #replaces(tool: Tool): boolean {
    return isServerTool(tool) && this.#servers.has(tool.offered.server);
  }
}

const NONE: readonly Tool[] = [];
/** The length of a cut name before the hash. */
const CUT_AT = 50;

function byName(servers: readonly Server[]): ReadonlyMap<string, Server> {
  return new Map([...servers].sort((a, b) => (a.name < b.name ? -1 : 1)).map((one) => [one.name, one]));
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}

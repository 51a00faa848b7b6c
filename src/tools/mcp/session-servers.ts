/**
 * The MCP servers of a session: those it was opened with, those of its agents, and those added or disabled while it
 * runs. Loads nothing if none is configured.
 */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { ConfiguredServer } from '../../config/mcp/server-config.js';
import type { ServerDetails, ServerReport, SetServersResult } from '../../protocol/mcp/server-report.js';
import type { Tool, ToolDeclaration } from '../tool.js';
import type { ServerConnection } from './connect/connection.js';
import type { ResultLimits } from './offer/result-limits.js';
import type { ServerPorts } from './server.js';
import type { DeclareRule, ServerOffer, Servers } from './server-access.js';
import type { ServerChanges } from './server-changes.js';
import type { ServerSet } from './server-set.js';

/** Finds the servers that a definition itself describes and that may run. `known`: the session's. */
export type FindOwnServers = (definition: AgentDefinition, known: ReadonlySet<string>) => Promise<OwnServers>;

export type OwnServers = Pick<ServerPorts, 'whyNotAgain'> & {
  readonly servers: readonly ConfiguredServer[];
  readonly lines: readonly string[];
};

/** The parts loaded with the first server. */
export type LoadedServers = {
  readonly set: ServerSet;
  readonly findOwn: FindOwnServers;
  readonly changes: ServerChanges;
};

export type OpenedServers = {
  /** The session's servers plus its own, if any. */
  readonly servers: Servers;
  /** Servers that live as long as its run. */
  readonly own?: Servers;
  /** What it has to do without, for the user and the model. */
  readonly lines: readonly string[];
};

export class SessionServers implements Servers {
  readonly #load: () => Promise<LoadedServers>;
  #loading: Promise<LoadedServers> | undefined;
  #now: ServerSet | undefined;
  readonly #opened = new Set<ServerSet>();

  /** `load` is called by `begin`, or by the first request that needs servers. */
  constructor(load: () => Promise<LoadedServers>) {
    this.#load = load;
  }

  #loaded(): Promise<LoadedServers> {
    this.#loading ??= this.#load().then((loaded) => {
      this.#now = loaded.set;
      return loaded;
    });
    return this.#loading;
  }

  begin(): void {
    void this.#loaded().catch(() => {});
  }

  /** Resolves when `restored` can be called. Connects to no server. */
  async loaded(): Promise<void> {
    await this.#loading;
  }

  reports(): readonly ServerReport[] {
    return this.#now?.reports() ?? [];
  }

  parts(): ReadonlyMap<string, string> {
    return this.#now?.parts() ?? new Map();
  }

  tools(): readonly Tool[] {
    return this.#now?.tools() ?? NO_TOOLS;
  }

  details(server: string): ServerDetails | undefined {
    return this.#now?.details(server);
  }

  offers(): readonly ServerOffer[] {
    return this.#now?.offers() ?? [];
  }

  limits(): ResultLimits {
    return this.#now?.limits() ?? { maxTokens: 0, mostChars: 0 };
  }

  dropped(): readonly string[] {
    return this.#now?.dropped() ?? [];
  }

  async connection(server: string, signal: AbortSignal): Promise<ServerConnection> {
    return (await this.#loaded()).set.connection(server, signal);
  }

  async settled(ms: number, signal: AbortSignal): Promise<void> {
    await (await this.#loading)?.set.settled(ms, signal);
  }

  async reconnect(server?: string): Promise<void> {
    await (await this.#loading)?.set.reconnect(server);
  }

  declared(tools: readonly Tool[], rule: DeclareRule): readonly Tool[] {
    return this.#now?.declared(tools, rule) ?? tools;
  }

  restored(declared: readonly ToolDeclaration[], mayHave: DeclareRule['mayHave']): readonly Tool[] {
    return this.#now?.restored(declared, mayHave) ?? [];
  }

  remembers(): boolean {
    return this.#now?.remembers() ?? false;
  }

  /** Keeps the tools that an earlier process declared until their server is connected. */
  remember(declared: readonly ToolDeclaration[]): void {
    this.#now?.remember(declared);
  }

  async rest(): Promise<void> {
    await (await this.#loading)?.set.rest();
  }

  /** The servers of a definition: named ones are the session's, those it describes are its own. */
  async openFor(definition: AgentDefinition): Promise<OpenedServers> {
    const { set, findOwn } = await this.#loaded();
    const known = new Set(set.reports().map(({ name }) => name));
    const { servers: configured, lines, whyNotAgain } = await findOwn(definition, known);
    if (configured.length === 0) return { servers: this, lines };
    const own = set.extend(configured, whyNotAgain);
    this.#opened.add(own);
    return { servers: own, own, lines };
  }

  /**
   * Replaces the servers that the client program added before, and the objects the session was opened with. Resolves
   * when each is connected or has failed.
   */
  async give(given: Readonly<Record<string, unknown>>): Promise<SetServersResult> {
    return (await this.#loaded()).changes.give(given);
  }

  /** Applies to this session. Returns the reason if it fails. */
  async toggle(name: string, enabled: boolean): Promise<string | undefined> {
    return (await this.#loaded()).changes.toggle(name, enabled);
  }

  async close(): Promise<void> {
    const loaded = await this.#loading;
    loaded?.changes.close();
    await Promise.all([loaded?.set.close(), ...[...this.#opened].map((set) => set.close())]);
  }
}

const NO_TOOLS: readonly Tool[] = [];

/**
 * The MCP servers of a session: those it was opened with, those its agents bring along, and those that are given or switched
 * off while it runs. Nothing of them is loaded where none is configured.
 */

import { isDeepStrictEqual } from 'node:util';
import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { ConfiguredServer, ServersFound } from '../../config/mcp/server-config.js';
import { serialQueue } from '../../host/locks/serial-queue.js';
import type { ServerDetails, ServerReport, SetServersResult } from '../../protocol/mcp/server-report.js';
import type { Tool, ToolDeclaration } from '../tool.js';
import type { ServerConnection } from './connect/connection.js';
import type { ResultLimits } from './offer/result-limits.js';
import type { ServerPorts } from './server.js';
import type { DeclareRule, ServerOffer, Servers } from './server-access.js';
import type { ServerSet } from './server-set.js';

/** The servers that a definition describes itself, as far as they may run. `known`: the session's. */
export type FindOwnServers = (definition: AgentDefinition, known: ReadonlySet<string>) => Promise<OwnServers>;

/** Judges entries that are given now. */
export type FindGivenServers = (given: Readonly<Record<string, unknown>>) => Promise<GivenServers>;

export type GivenServers = Pick<ServersFound, 'servers' | 'skipped' | 'warnings'>;

export type OwnServers = Pick<ServerPorts, 'whyNotAgain'> & {
  readonly servers: readonly ConfiguredServer[];
  readonly lines: readonly string[];
};

/** What is loaded with the first server. */
export type LoadedServers = {
  readonly set: ServerSet;
  readonly findOwn: FindOwnServers;
  readonly findGiven: FindGivenServers;
  /** A line for the person. */
  warn(line: string): void;
};

export type OpenedServers = {
  /** The session's and its own; the session's, where it has none of its own. */
  readonly servers: Servers;
  /** Those that live as long as its run. */
  readonly own?: Servers;
  /** What it goes without, for person and model. */
  readonly lines: readonly string[];
};

export class SessionServers implements Servers {
  readonly #load: () => Promise<LoadedServers>;
  #loading: Promise<LoadedServers> | undefined;
  #now: ServerSet | undefined;
  readonly #opened = new Set<ServerSet>();
  /** Names that a later `give` takes away if it leaves them out. */
  #given: ReadonlySet<string> = new Set();
  /** Switched off, to be started again. */
  readonly #off = new Map<string, ConfiguredServer>();
  /** One change after the other. */
  readonly #inOrder = serialQueue();
  #isClosed = false;

  /** `load` is called when something is asked for that needs servers, or by `begin`. */
  constructor(load: () => Promise<LoadedServers>) {
    this.#load = load;
  }

  #loaded(): Promise<LoadedServers> {
    this.#loading ??= this.#load().then((loaded) => {
      const inProcess = loaded.set.configured().filter(({ config }) => config.kind === 'in-process');
      this.#given = new Set(inProcess.map(({ name }) => name));
      this.#now = loaded.set;
      return loaded;
    });
    return this.#loading;
  }

  begin(): void {
    void this.#loaded().catch(() => {});
  }

  /** Resolves when `restored` can be asked. Connects to none. */
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

  /** What an earlier process declared stays until its server is connected. */
  remember(declared: readonly ToolDeclaration[]): void {
    this.#now?.remember(declared);
  }

  async rest(): Promise<void> {
    await (await this.#loading)?.set.rest();
  }

  /** The servers of a definition: named ones are the session's, those it describes itself are its own. */
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
   * Servers that the person's program gives while the session runs, in place of those it gave so before and of the objects
   * the session was opened with. Resolves when each is connected or has failed.
   */
  give(given: Readonly<Record<string, unknown>>): Promise<SetServersResult> {
    return this.#inOrder(() => this.#give(given));
  }

  /** For this session. Returns why it can't be done. */
  toggle(name: string, enabled: boolean): Promise<string | undefined> {
    return this.#inOrder(() => this.#toggle(name, enabled));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const loaded = await this.#loading;
    await Promise.all([loaded?.set.close(), ...[...this.#opened].map((set) => set.close())]);
  }

  async #give(given: Readonly<Record<string, unknown>>): Promise<SetServersResult> {
    const { set, findGiven, warn } = await this.#loaded();
    const { servers, skipped, warnings } = await findGiven(given);
    if (this.#isClosed) throw new Error('the session is closed');
    for (const line of warnings) warn(line);
    const now = new Map([...set.configured(), ...this.#off.values()].map((one) => [one.name, one]));
    const isKept = ({ name, config }: ConfiguredServer) => {
      const before = this.#given.has(name) ? now.get(name) : undefined;
      return before !== undefined && isSameConfig(before.config, config);
    };
    // One that may not run takes nothing away from a server of that name that was not given so.
    const refused = skipped.filter(({ name }) => this.#given.has(name) || !now.has(name));
    const come = servers.filter((one) => !isKept(one));
    const added = [...come, ...refused].map(({ name }) => name);
    const names = new Set([...servers, ...refused].map(({ name }) => name));
    const removed = [...this.#given].filter((name) => !names.has(name));
    const gone = new Set([...removed, ...added]);
    this.#given = names;
    for (const name of gone) this.#off.delete(name);
    await set.change({ gone, come, skipped: refused, hasBegun: false });
    const failed = set.reports().filter(({ name, reason }) => reason !== undefined && added.includes(name));
    const errors = [...skipped, ...failed].map(({ name, reason = '' }) => [name, reason] as const);
    return { added, removed, errors: Object.fromEntries(errors) };
  }

  async #toggle(name: string, enabled: boolean): Promise<string | undefined> {
    const { set } = await this.#loaded();
    const gone = new Set([name]);
    const configured = set.configured().find((one) => one.name === name);
    const off = this.#off.get(name);
    if (!enabled && configured !== undefined) {
      this.#off.set(name, configured);
      const { origin, config } = configured;
      const skipped = { name, origin, transport: config.kind, status: 'off', reason: SWITCHED_OFF } as const;
      await set.change({ gone, come: [], skipped: [skipped], hasBegun: true });
      return undefined;
    }
    if (enabled && off !== undefined) {
      this.#off.delete(name);
      // A project's must be what was approved, as at every start.
      await set.change({ gone, come: [off], skipped: [], hasBegun: true });
    }
    const report = set.reports().find((one) => one.name === name);
    if (report === undefined) return `there is no MCP server ${name}`;
    return enabled && report.status !== 'connected'
      ? `${name} is not connected: ${report.reason ?? report.status}`
      : undefined;
  }
}

const NO_TOOLS: readonly Tool[] = [];

const SWITCHED_OFF = 'it was switched off in this session';

/** Objects in this process are the same only if they are one. */
function isSameConfig(a: ConfiguredServer['config'], b: ConfiguredServer['config']): boolean {
  if (a.kind !== 'in-process' || b.kind !== 'in-process') return isDeepStrictEqual(a, b);
  const { server: one, ...rest } = a;
  const { server: other, ...others } = b;
  return one === other && isDeepStrictEqual(rest, others);
}

/** The MCP servers of a session, or of one agent. Nothing of them is loaded where none is configured. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { ServerDetails, ServerReport, SetServersResult } from '../../protocol/mcp/server-report.js';
import type { Tool, ToolDeclaration } from '../tool.js';
import type { ResultLimits } from './offer/result-limits.js';
import type { ServerAccess, ServerOffer } from './server-access.js';

export interface Servers extends ServerAccess {
  /** What connected servers offer now, as tools sorted by name. The same array while nothing changes. */
  tools(): readonly Tool[];
  /** Of one that is not only told of. */
  details(server: string): ServerDetails | undefined;
  /** The same, as they offer it. */
  offers(): readonly ServerOffer[];
  /** How much of what they give goes into a conversation. */
  limits(): ResultLimits;
  /** Lines about tools that can't be declared. */
  dropped(): readonly string[];
  /** Connects all that may run. Resolves when each is connected or has failed, when the time is over, or on abort. */
  settled(ms: number, signal: AbortSignal): Promise<void>;
  /** One, or all, from the beginning. */
  reconnect(server?: string): Promise<void>;
  /** The same tools, or some of them and a search for the others, where they would take too much of the window. */
  declared(tools: readonly Tool[], rule: DeclareRule): readonly Tool[];
  /** Tools as an earlier process declared them: each finds its server when it is called. */
  restored(declared: readonly ToolDeclaration[], mayHave: DeclareRule['mayHave']): readonly Tool[];
  /** Some of its tools are those that an earlier process declared: their servers were not heard yet. */
  remembers(): boolean;
  /** Ends all of them. A later call connects again, unless the session is closed. */
  rest(): Promise<void>;
}

export type DeclareRule = {
  /** The model's, in tokens. */
  readonly window: number;
  /** What its definition lists: those it names are declared in full. */
  readonly named: readonly string[];
  /** Which tools of servers it may have: more of them may come. */
  readonly mayHave: (tools: readonly Tool[]) => readonly Tool[];
};

export interface SessionServers extends Servers {
  /** What an earlier process declared stays until its server is connected. */
  remember(declared: readonly ToolDeclaration[]): void;
  /** Resolves when `restored` can be asked. Connects to none. */
  loaded(): Promise<void>;
  /** The servers of a definition: named ones are the session's, those it describes itself are its own. */
  openFor(definition: AgentDefinition): Promise<OpenedServers>;
  /**
   * Servers that the person's program gives while the session runs, in place of those it gave so before and of the objects
   * the session was opened with. Resolves when each is connected or has failed.
   */
  give(given: Readonly<Record<string, unknown>>): Promise<SetServersResult>;
  /** For this session. Returns why it can't be done. */
  toggle(server: string, enabled: boolean): Promise<string | undefined>;
  close(): Promise<void>;
}

export type OpenedServers = {
  /** The session's and its own; the session's, where it has none of its own. */
  readonly servers: Servers;
  /** Those that live as long as its run. */
  readonly own?: Servers;
  /** What it goes without, for person and model. */
  readonly lines: readonly string[];
};

/** `load` is called when something is asked for that needs servers, or by `begin`. */
export function lazyServers(load: () => Promise<SessionServers>): SessionServers & { begin(): void } {
  let now: SessionServers | undefined;
  let loading: Promise<SessionServers> | undefined;
  const loaded = () => {
    loading ??= load().then((servers) => {
      now = servers;
      return servers;
    });
    return loading;
  };
  const reports = (): readonly ServerReport[] => now?.reports() ?? [];
  return {
    begin: () => void loaded().catch(() => {}),
    loaded: async () => void (await loading),
    reports,
    parts: () => now?.parts() ?? new Map(),
    tools: () => now?.tools() ?? NO_TOOLS,
    details: (server) => now?.details(server),
    offers: () => now?.offers() ?? [],
    limits: () => now?.limits() ?? { maxTokens: 0, mostChars: 0 },
    dropped: () => now?.dropped() ?? [],
    connection: async (server, signal) => (await loaded()).connection(server, signal),
    settled: async (ms, signal) => (await loading)?.settled(ms, signal),
    reconnect: async (server) => (await loading)?.reconnect(server),
    declared: (tools, rule) => now?.declared(tools, rule) ?? tools,
    restored: (declared, mayHave) => now?.restored(declared, mayHave) ?? [],
    remembers: () => now?.remembers() ?? false,
    remember: (declared) => now?.remember(declared),
    rest: async () => (await loading)?.rest(),
    openFor: async (definition) => (await loaded()).openFor(definition),
    give: async (given) => (await loaded()).give(given),
    toggle: async (server, enabled) => (await loaded()).toggle(server, enabled),
    close: async () => (await loading)?.close(),
  };
}

const NO_TOOLS: readonly Tool[] = [];

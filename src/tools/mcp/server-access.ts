/** How the tools of MCP servers reach their servers, and what agents and the engine ask servers for. */

import type { ConfiguredServer } from '../../config/mcp/server-config.js';
import type { ServerDetails, ServerReport } from '../../protocol/mcp/server-report.js';
import type { Tool, ToolDeclaration } from '../tool.js';
import type { ListedTool, ServerConnection } from './connect/connection.js';
import type { ResultLimits } from './offer/result-limits.js';

export interface ServerAccess {
  /** By configured name: its part of the names of tools. */
  parts(): ReadonlyMap<string, string>;
  /** Sorted by name. */
  reports(): readonly ServerReport[];
  /** A connection, made anew if it was lost. Rejects with a reason for people and models: what it is, what to do. */
  connection(server: string, signal: AbortSignal): Promise<ServerConnection>;
}

/** What a connected server offers. The object stays the same while nothing of it changes. */
export type ServerOffer = {
  readonly server: ConfiguredServer;
  readonly listed: readonly ListedTool[];
  readonly instructions: string | undefined;
  readonly hasResources: boolean;
};

/** Of a session (`SessionServers`), or of one agent that has servers of its own (`ServerSet`). */
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

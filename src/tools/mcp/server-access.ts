/** How MCP tools reach their servers, and what agents and the engine need from servers. */

import type { ConfiguredServer } from '../../config/mcp/server-config.js';
import type { ServerDetails, ServerReport } from '../../protocol/mcp/server-report.js';
import type { Tool, ToolDeclaration } from '../tool.js';
import type { ListedTool, ServerConnection } from './connect/connection.js';
import type { ResultLimits } from './offer/result-limits.js';

export interface ServerAccess {
  /** The part of tool names for each configured server. */
  parts(): ReadonlyMap<string, string>;
  /** Sorted by name. */
  reports(): readonly ServerReport[];
  /** A connection, reopened if it was lost. Rejects with a reason for users and models: the problem and what to do. */
  connection(server: string, signal: AbortSignal): Promise<ServerConnection>;
}

/** The offer of a connected server. The object stays the same while nothing in it changes. */
export type ServerOffer = {
  readonly server: ConfiguredServer;
  readonly listed: readonly ListedTool[];
  readonly instructions: string | undefined;
  readonly hasResources: boolean;
};

/** The servers of a session (`SessionServers`), or of one agent with its own (`ServerSet`). */
export interface Servers extends ServerAccess {
  /** The tools of connected servers, sorted by name. Returns the same array while nothing changes. */
  tools(): readonly Tool[];
  /** Details of a server, unless it is only listed as skipped. */
  details(server: string): ServerDetails | undefined;
  /** The offers behind these tools. */
  offers(): readonly ServerOffer[];
  /** The limits on results in a conversation. */
  limits(): ResultLimits;
  /** Messages about tools that can't be declared. */
  dropped(): readonly string[];
  /** Connects all that may run. Resolves when each is connected or has failed, on a timeout, or on an abort. */
  settled(ms: number, signal: AbortSignal): Promise<void>;
  /** Reconnects one server, or all, from scratch. */
  reconnect(server?: string): Promise<void>;
  /** The same tools or, if they would take too much of the window, some of them plus a search for the rest. */
  declared(tools: readonly Tool[], rule: DeclareRule): readonly Tool[];
  /** Tools as an earlier process declared them: each resolves its server when it is called. */
  restored(declared: readonly ToolDeclaration[], mayHave: DeclareRule['mayHave']): readonly Tool[];
  /** True if some of its tools were declared by an earlier process and their servers have not connected yet. */
  remembers(): boolean;
  /** Disconnects all. A later call connects again, unless the session is closed. */
  rest(): Promise<void>;
}

export type DeclareRule = {
  /** The model's window, in tokens. */
  readonly window: number;
  /** The tools listed in its definition, which are declared in full. */
  readonly named: readonly string[];
  /** Filters the server tools it may have, including later ones. */
  readonly mayHave: (tools: readonly Tool[]) => readonly Tool[];
};

/** How the tools of MCP servers reach their servers. */

import type { ConfiguredServer } from '../../config/mcp/server-config.js';
import type { ServerReport } from '../../protocol/mcp/server-report.js';
import type { ListedTool, ServerConnection } from './connect/connection.js';

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

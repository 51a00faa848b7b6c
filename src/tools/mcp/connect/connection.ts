/** A connection to an MCP server. Everything received over it is untrusted data. */

import type {
  AuthProvider,
  CallToolResult,
  GetPromptResult,
  Tool as ListedTool,
  Prompt,
  ReadResourceResult,
  Resource,
} from '@modelcontextprotocol/client';
import type { ConfiguredServer } from '../../../config/mcp/server-config.js';
import type { Environment, Host } from '../../../host/host.js';
import type { WebFetch } from '../../../host/network.js';
import type { ElicitationAnswer, ElicitationRequest } from '../../../protocol/mcp/elicitation.js';
import type { Failure } from '../../../protocol/result.js';

export type { CallToolResult, GetPromptResult, ListedTool, Prompt, ReadResourceResult, Resource };

/** Its methods reject with an error whose message is for users and models. */
export interface ServerConnection {
  /** The server's instructions; may be long. */
  readonly instructions: string | undefined;
  /** The server's name for itself. */
  readonly info: { readonly name: string; readonly version: string } | undefined;
  readonly offers: { readonly tools: boolean; readonly resources: boolean; readonly prompts: boolean };
  /** Fetches all pages, up to a limit. Only the name of an entry (for a resource: its URI) is validated. */
  listTools(): Promise<readonly ListedTool[]>;
  listResources(signal?: AbortSignal): Promise<readonly Resource[]>;
  listPrompts(signal?: AbortSignal): Promise<readonly Prompt[]>;
  callTool(name: string, input: Readonly<Record<string, unknown>>, options: CallOptions): Promise<CallToolResult>;
  readResource(uri: string, signal: AbortSignal): Promise<ReadResourceResult>;
  getPrompt(name: string, input: Readonly<Record<string, string>>, signal: AbortSignal): Promise<GetPromptResult>;
  /** Notifies it that its roots have changed. */
  rootsChanged(): void;
  /** Closes it and its processes. Never rejects. */
  close(): Promise<void>;
}

export type CallOptions = {
  /** The server's questions during the call are asked on behalf of this agent. */
  readonly agentId: string;
  readonly signal: AbortSignal;
  /** Receives one line of progress. */
  readonly progress: (line: string) => void;
};

/** `agentId`: the agent whose call is running; undefined if there is none, or several. Never rejects. */
export type Elicit = (
  request: ElicitationRequest,
  agentId: string | undefined,
  signal: AbortSignal,
) => Promise<ElicitationAnswer>;

export type ServerEnvironment = { readonly env: Environment; readonly withheld: readonly string[] };

/**
 * `token` and `onUnauthorized` throw the SDK's `UnauthorizedError` if the user has to sign in; its message explains
 * how. Any other error may be temporary.
 */
export type ServerAuth = AuthProvider & {
  /**
   * The `fetch` for the server's transport. It records which token was refused, since requests run concurrently, and
   * sends no token to another origin.
   */
  watch(fetch: WebFetch): WebFetch;
};

export type ConnectRequest = {
  readonly server: ConfiguredServer;
  /** Its folder is the launch folder; its processes carry the session's mark. */
  readonly host: Host;
  /** The part of our environment that its processes get, and the names that are withheld (MC-12). */
  readonly environment: (server: ConfiguredServer, env: Environment) => ServerEnvironment;
  /** Folders for `roots/list`. */
  readonly roots: () => readonly string[];
  readonly elicit: Elicit;
  /** Signs requests to a remote server. Absent: no sign-in. */
  readonly auth?: ServerAuth;
  /** Why its `headersHelper` may no longer run; checked before each run, because the approved file may have changed. */
  readonly mayRun?: () => Promise<string | undefined>;
  /** Called when the server reports a changed list. */
  readonly onListChanged: (what: 'tools' | 'resources' | 'prompts') => void;
  /** Called once if the connection is lost without `close`. */
  readonly onLost: (reason: string) => void;
  /** Aborts connecting. */
  readonly signal: AbortSignal;
};

/** `reason`, for the user: what failed, and what to do. */
export type Connected =
  | { readonly ok: true; readonly connection: ServerConnection }
  | (Failure & {
      /** `refused`: retrying is pointless (401 with a static header, 403, 404, a bad configuration). */
      readonly kind: 'failed' | 'refused' | 'needs-sign-in';
      /** The last lines of its stderr. */
      readonly stderr?: string;
    });

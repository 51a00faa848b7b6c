/** A connection to an MCP server. Everything that comes over it is data from outside. */

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

export type { CallToolResult, GetPromptResult, ListedTool, Prompt, ReadResourceResult, Resource };

/** Its methods reject with an error whose message is for people and models. */
export interface ServerConnection {
  /** What the server says about its use; may be long. */
  readonly instructions: string | undefined;
  /** What it calls itself. */
  readonly info: { readonly name: string; readonly version: string } | undefined;
  readonly offers: { readonly tools: boolean; readonly resources: boolean; readonly prompts: boolean };
  /** All pages, cut where there is no end. Of an entry only its name (of a resource: its address) is checked. */
  listTools(): Promise<readonly ListedTool[]>;
  listResources(signal?: AbortSignal): Promise<readonly Resource[]>;
  listPrompts(signal?: AbortSignal): Promise<readonly Prompt[]>;
  callTool(name: string, input: Readonly<Record<string, unknown>>, options: CallOptions): Promise<CallToolResult>;
  readResource(uri: string, signal: AbortSignal): Promise<ReadResourceResult>;
  getPrompt(name: string, input: Readonly<Record<string, string>>, signal: AbortSignal): Promise<GetPromptResult>;
  /** The folders it may know have changed. */
  rootsChanged(): void;
  /** Ends it and its processes. Never rejects. */
  close(): Promise<void>;
}

export type CallOptions = {
  /** What the server asks the person meanwhile is asked in this agent's name. */
  readonly agentId: string;
  readonly signal: AbortSignal;
  /** One line of progress. */
  readonly progress: (line: string) => void;
};

/** `agentId`: whose call is under way; undefined if none is, or several. Never rejects. */
export type Elicit = (
  request: ElicitationRequest,
  agentId: string | undefined,
  signal: AbortSignal,
) => Promise<ElicitationAnswer>;

export type ServerEnvironment = { readonly env: Environment; readonly withheld: readonly string[] };

/**
 * `token` and `onUnauthorized` throw the SDK's `UnauthorizedError` where a person has to sign in; its message says how. Any
 * other error may be gone at the next try.
 */
export type ServerAuth = AuthProvider & {
  /**
   * The `fetch` for the server's transport. It notes which token was refused, since requests run at the same time, and
   * sends no token to another origin.
   */
  watch(fetch: WebFetch): WebFetch;
};

export type ConnectRequest = {
  readonly server: ConfiguredServer;
  /** Its folder is the launch folder; its processes carry the session's mark. */
  readonly host: Host;
  /** What its processes get of our environment, and the names they don't get (MC-12). */
  readonly environment: (server: ConfiguredServer, env: Environment) => ServerEnvironment;
  /** Folders for `roots/list`. */
  readonly roots: () => readonly string[];
  readonly elicit: Elicit;
  /** Signs requests to a remote server. Absent: it has no sign-in. */
  readonly auth?: ServerAuth;
  /** Why its `headersHelper` must not run any more, asked before each run: what was approved may have changed. */
  readonly mayRun?: () => Promise<string | undefined>;
  /** The server says that a list has changed. */
  readonly onListChanged: (what: 'tools' | 'resources' | 'prompts') => void;
  /** Called once, when the connection was lost without `close`. */
  readonly onLost: (reason: string) => void;
  /** Gives up connecting. */
  readonly signal: AbortSignal;
};

export type Connected =
  | { readonly ok: true; readonly connection: ServerConnection }
  | {
      readonly ok: false;
      /** `refused`: trying again at once is no use (401 with a static header, 403, 404, a bad configuration). */
      readonly kind: 'failed' | 'refused' | 'needs-sign-in';
      /** For people: why, and what to do. */
      readonly reason: string;
      /** The last lines of its stderr. */
      readonly stderr?: string;
    };

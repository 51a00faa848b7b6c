/** MCP servers as configured: checked, variables expanded, with where each comes from. */

import type { ToolPolicy } from './tool-policy.js';

/** Strongest first: of two entries with one name the whole stronger one counts. */
export type ServerScope = 'managed' | 'library' | 'command line' | 'agent' | 'local' | 'project' | 'user' | 'plugin';

export type StdioConfig = {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

export type RemoteConfig = {
  readonly kind: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A shell command that prints more headers. */
  readonly headersHelper?: string;
  readonly oauth?: OAuthConfig;
};

export type OAuthConfig = {
  readonly clientId?: string;
  /** Separated by spaces. */
  readonly scopes?: string;
  readonly callbackPort?: number;
  readonly authServerMetadataUrl?: string;
};

/** An object of the library's user: it is connected in this process. */
export type InProcessConfig = { readonly kind: 'in-process'; readonly server: InProcessServer };

/** The part of an MCP SDK server that we use. */
export type InProcessServer = { connect(transport: never): Promise<void> };

export type ServerConfig = (StdioConfig | RemoteConfig | InProcessConfig) & {
  /** Of a call, if it is set. */
  readonly timeoutMs?: number;
  /** Its tools are declared in full, however many there are. */
  readonly alwaysLoad?: boolean;
  /** Of single tools. */
  readonly policy?: ToolPolicy;
};

export type ServerOrigin = { readonly scope: ServerScope; readonly file: string };

export type ConfiguredServer = {
  readonly name: string;
  readonly origin: ServerOrigin;
  readonly config: ServerConfig;
  /** The entry as it is written, variables not expanded: what may be shown of it. */
  readonly raw?: unknown;
  /**
   * Somebody else may have written it: a project or a plugin, including files in the project's folder. It runs only when
   * approved, gets no secrets from the environment, and its `headersHelper` runs in the launch folder.
   */
  readonly isForeign: boolean;
  /** What a plugin's processes are given of the plugin. */
  readonly variables?: Readonly<Record<string, string>>;
  /** `CLAUDE_PROJECT_DIR` of its processes. */
  readonly projectRoot?: string;
};

/** A server that is configured and is not started. */
export type SkippedServer = {
  readonly name: string;
  readonly origin: ServerOrigin;
  readonly transport: 'stdio' | 'http' | 'sse' | 'in-process' | 'unknown';
  readonly status: 'off' | 'not-approved' | 'blocked' | 'skipped';
  readonly reason: string;
};

export type ServersFound = {
  /** Sorted by name; those that may be started. */
  readonly servers: readonly ConfiguredServer[];
  readonly skipped: readonly SkippedServer[];
  /** Lines for the person. */
  readonly warnings: readonly string[];
  /** If not empty, the session must not open: a flag names what can't be read. */
  readonly errors: readonly string[];
};

/** MCP servers as configured: checked, with variables expanded and with their origin. */

import type { ToolPolicy } from './tool-policy.js';

/** Strongest first: of two entries with the same name, the stronger one replaces the other completely. */
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

/** An object of the library's user, connected in this process. */
export type InProcessConfig = { readonly kind: 'in-process'; readonly server: InProcessServer };

/** The part of an MCP SDK server that we use. */
export type InProcessServer = { connect(transport: never): Promise<void> };

export type ServerConfig = (StdioConfig | RemoteConfig | InProcessConfig) & {
  /** The timeout of a call. */
  readonly timeoutMs?: number;
  /** Declares all its tools in full, regardless of their number. */
  readonly alwaysLoad?: boolean;
  /** For individual tools. */
  readonly policy?: ToolPolicy;
};

export type ServerOrigin = { readonly scope: ServerScope; readonly file: string };

export type ConfiguredServer = {
  readonly name: string;
  readonly origin: ServerOrigin;
  readonly config: ServerConfig;
  /** The entry as written, variables not expanded, for display. */
  readonly raw?: unknown;
  /**
   * Somebody else may have written it: a project or a plugin, including files in the project's folder. It runs only when
   * approved, gets no secrets from the environment, and its `headersHelper` runs in the launch folder.
   */
  readonly isForeign: boolean;
  /** Variables that a plugin sets for its processes. */
  readonly variables?: Readonly<Record<string, string>>;
  /** `CLAUDE_PROJECT_DIR` of its processes. */
  readonly projectRoot?: string;
};

/** A configured server that is not started. */
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
  /** Messages for you. */
  readonly warnings: readonly string[];
  /** If not empty, the session must not open: a flag names something that can't be read. */
  readonly errors: readonly string[];
};

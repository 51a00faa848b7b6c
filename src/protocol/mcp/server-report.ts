/** The status of an MCP server in a session, for people and clients. */

export type ServerStatus =
  | 'connecting'
  | 'connected'
  | 'failed'
  /** It requires a sign-in: `coppice mcp login NAME`. */
  | 'needs-sign-in'
  /** Turned off by a setting, or in this session. */
  | 'off'
  /** A project's server that the user has not approved in its current form. */
  | 'not-approved'
  /** A managed setting forbids it. */
  | 'blocked'
  /** Its entry is unusable. */
  | 'skipped';

/** A prompt that a server offers, sent as `/name arguments`. */
export type ServerPrompt = {
  /** `mcp__server__prompt` */
  readonly name: string;
  readonly server: string;
  readonly description?: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required: boolean;
  }[];
};

export type ServerReport = {
  readonly name: string;
  /** The source of its entry: `user`, `project` … */
  readonly scope: string;
  readonly file: string;
  readonly transport: 'stdio' | 'http' | 'sse' | 'in-process' | 'unknown';
  readonly status: ServerStatus;
  /** Why it is not connected, and what to do. */
  readonly reason?: string;
  /** The declared names of its tools. */
  readonly tools: readonly string[];
  /** The estimated tokens that their definitions add to each request. */
  readonly tokens: number;
  /** The last lines it wrote to stderr. */
  readonly stderr?: string;
  /** Only on request. */
  readonly details?: ServerDetails;
};

/** A server's description of itself and its tools, which is not verified. */
export type ServerDetails = {
  readonly info?: { readonly name: string; readonly version: string };
  /** Its entry as written, without environment and headers; likely secrets are masked. */
  readonly entry?: Readonly<Record<string, unknown>>;
  readonly tools: readonly ServerToolDetails[];
};

export type ServerToolDetails = {
  /** The server's own name for it, not the declared one. */
  readonly name: string;
  readonly description?: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly openWorld: boolean;
};

/** The result of `set-servers`. */
export type SetServersResult = {
  /** New or changed ones, including those that failed or may not run. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Why a server is not connected, by name. */
  readonly errors: Readonly<Record<string, string>>;
};

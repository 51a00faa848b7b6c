/** How an MCP server of a session stands, for people and clients. */

export type ServerStatus =
  | 'connecting'
  | 'connected'
  | 'failed'
  /** It wants a sign-in: `coppice mcp login NAME`. */
  | 'needs-sign-in'
  /** Switched off by a setting, or in this session. */
  | 'off'
  /** A project's, and the person has not approved it as it is. */
  | 'not-approved'
  /** A managed setting forbids it. */
  | 'blocked'
  /** Its entry can't be used. */
  | 'skipped';

/** A prompt that a server offers: sent as `/name words`. */
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
  /** Where it comes from: `user`, `project` … */
  readonly scope: string;
  readonly file: string;
  readonly transport: 'stdio' | 'http' | 'sse' | 'in-process' | 'unknown';
  readonly status: ServerStatus;
  /** Why, and what to do, where it is not connected. */
  readonly reason?: string;
  /** The names of its tools as they are declared. */
  readonly tools: readonly string[];
  /** An estimate of what their definitions cost in each request. */
  readonly tokens: number;
  /** The last lines it wrote to stderr. */
  readonly stderr?: string;
  /** Only if they were asked for. */
  readonly details?: ServerDetails;
};

/** What it is. What it says of itself and its tools is its own word. */
export type ServerDetails = {
  readonly info?: { readonly name: string; readonly version: string };
  /** Its entry as it is written, without environment and headers; what looks secret is masked. */
  readonly entry?: Readonly<Record<string, unknown>>;
  readonly tools: readonly ServerToolDetails[];
};

export type ServerToolDetails = {
  /** Its own name, not the one it is declared by. */
  readonly name: string;
  readonly description?: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly openWorld: boolean;
};

/** What came of a new set of servers. */
export type SetServersResult = {
  /** New or changed ones, also those that failed or may not run. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** By name: why it is not connected. */
  readonly errors: Readonly<Record<string, string>>;
};

/** What a tool call is about to do. A tool declares it; the gate judges it; neither knows the other. */

export type Action =
  /** Reads a file's content. */
  | { readonly kind: 'read'; readonly path: string }
  /** Looks through a folder: names or contents. */
  | { readonly kind: 'search'; readonly path: string }
  /** Creates or changes a file. */
  | { readonly kind: 'edit'; readonly path: string }
  /** Runs a shell command line in `cwd`. `unconfined`: not in the reading box, so that it only reads counts for nothing. */
  | { readonly kind: 'shell'; readonly command: string; readonly cwd: string; readonly unconfined?: boolean }
  /** Needs more than the sandbox gives: the network, or to write elsewhere. */
  | { readonly kind: 'grant'; readonly network: boolean; readonly paths: readonly string[] }
  /** Asks a web server. */
  | { readonly kind: 'fetch'; readonly url: string }
  /** Starts a child of the given type. `gains`: tools with effects that it has and its parent was not given. */
  | { readonly kind: 'spawn'; readonly type: string; readonly gains?: readonly string[] }
  /**
   * Calls a tool of an MCP server; without `tool` it reads what the server keeps, or only lists it. `interactive`: the
   * server wants a person's word each time. `also`: other names of it, `mcp__server__tool` as they are written; a rule that forbids may
   * mean any of them.
   */
  | {
      readonly kind: 'mcp';
      readonly server: string;
      readonly tool?: string;
      readonly lists?: true;
      readonly interactive?: true;
      readonly also?: readonly string[];
    }
  /** Takes up the text of a skill. */
  | { readonly kind: 'skill'; readonly name: string }
  /** Shows a plan to the person and, if they accept it, ends plan mode. */
  | { readonly kind: 'plan' }
  /** Lets the model's provider search the web. */
  | { readonly kind: 'web-search'; readonly query: string }
  /** Touches nothing but the session's own state (a todo list, a message to a child). */
  | { readonly kind: 'session' }
  /** A tool of the embedder; nothing more is known about it. */
  | { readonly kind: 'custom'; readonly readOnly: boolean };

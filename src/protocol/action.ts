/** The effects a tool call is about to have. A tool declares them and the gate judges them; neither knows the other. */

export type Action =
  /** Reads a file's content. */
  | { readonly kind: 'read'; readonly path: string }
  /** Searches a folder: names or contents. */
  | { readonly kind: 'search'; readonly path: string }
  /** Creates or changes a file. */
  | { readonly kind: 'edit'; readonly path: string }
  /**
   * Runs a shell command line in `cwd`. `unconfined`: outside the read-only sandbox, so it is never allowed for only
   * reading.
   */
  | { readonly kind: 'shell'; readonly command: string; readonly cwd: string; readonly unconfined?: boolean }
  /** Needs more than the sandbox allows: network access, or writing elsewhere. */
  | { readonly kind: 'grant'; readonly network: boolean; readonly paths: readonly string[] }
  /** Sends a request to a web server. */
  | { readonly kind: 'fetch'; readonly url: string }
  /**
   * Starts an agent of the given type. `gains`: tools with effects that it has and the caller lacks. `writesTo`: the
   * agent exists, and a message wakes it or reaches it at work.
   */
  | { readonly kind: 'spawn'; readonly type: string; readonly gains?: readonly string[]; readonly writesTo?: string }
  /**
   * Calls a tool of an MCP server; without `tool`, reads or lists its resources. `interactive`: the server requires
   * confirmation of each call. `also`: other spellings of the tool's name (`mcp__server__tool`); a deny rule may name
   * any of them.
   */
  | {
      readonly kind: 'mcp';
      readonly server: string;
      readonly tool?: string;
      readonly lists?: true;
      readonly interactive?: true;
      readonly also?: readonly string[];
    }
  /** Loads the text of a skill. */
  | { readonly kind: 'skill'; readonly name: string }
  /** Shows a plan to the user and ends plan mode if they accept it. */
  | { readonly kind: 'plan' }
  /** Lets the model's provider search the web. */
  | { readonly kind: 'web-search'; readonly query: string }
  /** Touches nothing but the session's own state (a todo list, a message to a child). */
  | { readonly kind: 'session' }
  /** A tool of the embedding program, about which nothing more is known. */
  | { readonly kind: 'custom'; readonly readOnly: boolean };

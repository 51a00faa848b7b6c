/** What an MCP server asks the person while it works, and the answer. */

export type ElicitationRequest = {
  readonly server: string;
  /** In the server's words: data, shown as such. */
  readonly message: string;
} & (
  | { readonly mode: 'form'; readonly schema: Readonly<Record<string, unknown>> }
  /** To be opened in a browser after a yes. */
  | { readonly mode: 'url'; readonly url: string }
);

export type ElicitationContent = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: ElicitationContent }
  | { readonly action: 'decline' }
  /** The person neither agreed nor refused: it was interrupted. */
  | { readonly action: 'cancel' };

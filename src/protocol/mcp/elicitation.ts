/** A question that an MCP server asks the user during a call, and the answer. */

export type ElicitationRequest = {
  readonly server: string;
  /** Untrusted text of the server, shown as data. */
  readonly message: string;
} & (
  | { readonly mode: 'form'; readonly schema: Readonly<Record<string, unknown>> }
  /** Opened in a browser after a yes. */
  | { readonly mode: 'url'; readonly url: string }
);

export type ElicitationContent = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: ElicitationContent }
  | { readonly action: 'decline' }
  /** Neither accepted nor declined: it was interrupted. */
  | { readonly action: 'cancel' };

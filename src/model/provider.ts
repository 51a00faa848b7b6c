/** The provider port. One implementation per provider, each in its own folder next to this file. */

import type { ModelFault } from './fault.js';
import type { ModelClient } from './model-client.js';
import type { Prefix, PrefixContent } from './prefix.js';
import type { ModelRequest } from './request.js';
import type { ModelSearch } from './search.js';

/** Where the key or token of the API comes from. */
export type CredentialSource = 'ANTHROPIC_API_KEY' | 'ANTHROPIC_AUTH_TOKEN' | 'apiKeyHelper';

/** How a provider is signed in, to be shown. `endpoint`: without a name and password in it. */
export type ProviderAccount = { readonly source: CredentialSource | 'none'; readonly endpoint: string };

export interface ModelProvider {
  /** Sends requests. See `ModelClient` for its contract; `composeClient` enforces it for any client. */
  readonly client: ModelClient;

  /**
   * Serialises a prefix. Pure: the same content must give the same bytes in every process and every version, because
   * transcripts and forks reference a prefix by the hash of its bytes.
   */
  freezePrefix(content: PrefixContent): Prefix;

  /**
   * Loads a stored prefix. `loadPrefix(p.bytes)` equals `p` and sends the same bytes as `p`, also for bytes that an
   * earlier version wrote. Throws if the bytes are not a prefix: their hash was checked before.
   */
  loadPrefix(bytes: Buffer): Prefix;

  /**
   * The length of the request in bytes, up to the end of the last message and without cache breakpoints. Adding messages
   * to a request adds exactly their length; `breakpoints` and `cacheLifetime` have no effect.
   */
  contentLength(request: ModelRequest): number;

  /** One line for the user: what went wrong and, if the provider knows it, what to do. Without a full stop. */
  explain(fault: ModelFault): string;

  /** The provider's web search, if it has one that this client supports. */
  readonly search?: ModelSearch;

  /** Absent: a client of the embedder's own, which alone knows. */
  readonly account?: ProviderAccount;
}

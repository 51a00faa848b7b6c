/** What is needed of a provider of models. One implementation per provider, in a folder of its own beside this file. */

import type { ModelFault } from './fault.js';
import type { ModelClient } from './model-client.js';
import type { Prefix, PrefixContent } from './prefix.js';
import type { ModelRequest } from './request.js';

export interface ModelProvider {
  /** Sends requests. See `ModelClient` for what it promises; `composeClient` makes it hold for any client. */
  readonly client: ModelClient;

  /**
   * Writes a prefix as bytes. Pure: the same content gives the same bytes in every process and every version, because
   * stored transcripts and forks name a prefix by the hash of its bytes.
   */
  freezePrefix(content: PrefixContent): Prefix;

  /**
   * Reads a stored prefix. `loadPrefix(p.bytes)` equals `p` and sends the same bytes as `p`, also for bytes that an
   * earlier version wrote. Throws when the bytes are not a prefix: they were checked against their hash before.
   */
  loadPrefix(bytes: Buffer): Prefix;

  /**
   * The length in bytes of what is sent, up to the end of the last message and without cache breakpoints. A request that
   * adds messages to another one is longer by what they take; `breakpoints` and `cacheLifetime` change nothing.
   */
  contentLength(request: ModelRequest): number;

  /** One line for the person: what went wrong and, where the provider knows it, what to do. Without a full stop. */
  explain(fault: ModelFault): string;
}

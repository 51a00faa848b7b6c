/** One request to a model, before any provider has rendered it. */

import type { Breakpoint, HistoryView } from '../protocol/history.js';
import type { Prefix } from './prefix.js';

export type ModelRequest = {
  readonly prefix: Prefix;
  readonly history: HistoryView;
  /** The longest reply that is wanted. */
  readonly maxTokens: number;
  readonly cacheLifetime: CacheLifetime;
  /**
   * Where earlier requests ended that the provider has in its cache: this conversation's last accepted request and, for
   * a fork, its parent's. The end of the system prompt and the end of the history are breakpoints always.
   */
  readonly breakpoints: readonly Breakpoint[];
};

/** How long the provider is asked to keep what it caches. A provider without such a choice ignores it. */
export type CacheLifetime = '5m' | '1h';

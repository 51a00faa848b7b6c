/** One request to a model, before a provider renders it. */

import type { Breakpoint, HistoryView } from '../protocol/history.js';
import type { Prefix } from './prefix.js';

export type ModelRequest = {
  readonly prefix: Prefix;
  readonly history: HistoryView;
  /** The maximum length of the reply, in tokens. */
  readonly maxTokens: number;
  readonly cacheLifetime: CacheLifetime;
  /**
   * The ends of earlier requests that the provider has in its cache: the last accepted request of this conversation and,
   * for a fork, its parent's. The ends of the system prompt and of the history are always breakpoints.
   */
  readonly breakpoints: readonly Breakpoint[];
  /** Beta features of the provider's API, in addition to those that the prefix needs. */
  readonly betas?: readonly string[];
  /** The agent that sends it, in headers for gateways and logs; not part of the content. */
  readonly sender?: { readonly chain: string; readonly depth: number };
};

/** How long the provider should keep cache entries. A provider without this option ignores it. */
export type CacheLifetime = '5m' | '1h';

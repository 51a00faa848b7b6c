/**
 * The point where a fork leaves its parent, shared by all siblings; `take-fork-point.ts` takes it when the call is
 * made.
 */

import type { RequestReference } from '../../loop/agent.js';
import type { Siblings } from '../../protocol/events.js';
import type { FrozenBlock, FrozenMessage } from '../../protocol/frozen-block.js';
import type { Breakpoint, HistoryView } from '../../protocol/history.js';
import type { WarmUp } from './warm-up.js';

export type ForkPoint = {
  /** The shared history, including the reply that starts the fork. */
  readonly shared: HistoryView;
  /** The history without that reply. */
  readonly before: HistoryView;
  /** The last record of the parent's transcript that applies. */
  readonly upTo: number;
  /** The open calls of that reply by id, in order; none for a fork by the user. */
  readonly calls: ReadonlyMap<string, OpenCall>;
  /** What its forks see of each other; undefined for a fork by the user, which has no siblings in the conversation. */
  readonly siblings: Siblings | undefined;
  readonly breakpoints: readonly Breakpoint[];
  readonly reference: RequestReference | undefined;
  /** Tokens of the parent in the API's cache. */
  readonly cached: number;
  readonly sha256: string;
  /** Identifies the point: all siblings have the same key. */
  readonly key: FrozenMessage;
  /** Undefined if no fork has to wait. */
  readonly warmUp: WarmUp | undefined;
};

export type OpenCall = { readonly use: FrozenBlock; readonly asksForFork: boolean; readonly placeholder: FrozenBlock };

/** Where a fork leaves its parent. One point for all siblings; taken by `take-fork-point.ts` when the call is made. */

import type { RequestReference } from '../../loop/agent.js';
import type { Siblings } from '../../protocol/events.js';
import type { FrozenBlock, FrozenMessage } from '../../protocol/frozen-block.js';
import type { Breakpoint, HistoryView } from '../../protocol/history.js';
import type { WarmUp } from './warm-up.js';

export type ForkPoint = {
  /** The shared history, up to and including the reply that asks for the fork. */
  readonly shared: HistoryView;
  /** The same without that reply. */
  readonly before: HistoryView;
  /** The last record of the parent's transcript that counts. */
  readonly upTo: number;
  /** The open calls of that reply by id, in order; none for a fork by hand. */
  readonly calls: ReadonlyMap<string, OpenCall>;
  /** What its forks see of each other; undefined for a fork by hand, which has no siblings in the conversation. */
  readonly siblings: Siblings | undefined;
  readonly breakpoints: readonly Breakpoint[];
  readonly reference: RequestReference | undefined;
  /** Tokens the parent has in the API's cache. */
  readonly cached: number;
  readonly sha256: string;
  /** Identifies the point: all siblings have the same key. */
  readonly key: FrozenMessage;
  /** Undefined where nobody has to wait. */
  readonly warmUp: WarmUp | undefined;
};

export type OpenCall = { readonly use: FrozenBlock; readonly asksForFork: boolean; readonly placeholder: FrozenBlock };

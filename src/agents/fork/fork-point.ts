/** Where a fork leaves its parent. */

import type { RequestReference } from '../../loop/agent.js';
import { estimateBlock, estimateHistory } from '../../model/models.js';
import type { FrozenBlock, FrozenMessage } from '../../protocol/frozen-block.js';
import type { Breakpoint, HistoryView } from '../../protocol/history.js';

/** Taken when the call is made. */
export type ForkPoint = {
  /** What the child shares: up to and with the reply that asks for it. */
  readonly shared: HistoryView;
  /** The last record of the parent's transcript that counts. */
  readonly upTo: number;
  /** One result per open call of that reply; siblings have the same. */
  readonly placeholders: readonly FrozenBlock[];
  readonly breakpoints: readonly Breakpoint[];
  readonly reference: RequestReference | undefined;
  /** Tokens the parent has in the API's cache. */
  readonly cached: number;
  readonly sha256: string;
  /** Stands for all siblings of this point. */
  readonly key: FrozenMessage;
};

/** Tokens that siblings share beyond what their parent has sent, roughly: one of them pays for it. */
export function sharedBeyondParent({ shared, placeholders, breakpoints }: ForkPoint): number {
  const sent = Math.max(0, ...breakpoints.map((mark) => mark.messages));
  return placeholders.reduce((sum, block) => sum + estimateBlock(block), estimateHistory(shared, sent));
}

/** Where a fork leaves its parent. */

import type { RequestReference } from '../../loop/agent.js';
import { estimateBlock, estimateHistory } from '../../model/models.js';
import type { FrozenBlock, FrozenMessage } from '../../protocol/frozen-block.js';
import type { Breakpoint, HistoryView } from '../../protocol/history.js';
import type { WarmUp } from './warm-up.js';

/** Taken when the call is made. */
export type ForkPoint = {
  /** The shared history, up to and including the reply that asks for the fork. */
  readonly shared: HistoryView;
  /** The last record of the parent's transcript that counts. */
  readonly upTo: number;
  /** One result per open call of that reply; the same for all siblings. */
  readonly placeholders: readonly FrozenBlock[];
  readonly breakpoints: readonly Breakpoint[];
  readonly reference: RequestReference | undefined;
  /** Tokens the parent has in the API's cache. */
  readonly cached: number;
  readonly sha256: string;
  /** Identifies the point: all siblings have the same key. */
  readonly key: FrozenMessage;
  /** One for all siblings. */
  readonly warmUp: WarmUp;
};

/** An estimate of the tokens siblings share beyond what their parent has sent. One of them pays for these. */
export function sharedBeyondParent({ shared, placeholders, breakpoints }: Omit<ForkPoint, 'warmUp'>): number {
  const sent = Math.max(0, ...breakpoints.map((mark) => mark.messages));
  return placeholders.reduce((sum, block) => sum + estimateBlock(block), estimateHistory(shared, sent));
}

/** What a history-mended record does to a history. Pure; the loop, the repair and the reader mean the same by it. */

import type { FrozenBlock, FrozenMessage } from '../../protocol/frozen-block.js';

export type HistoryEdit = {
  /** -1: all thinking is dropped. */
  readonly message: number;
  readonly block: number;
  /** Stand where the block stood; none: it is left out. */
  readonly blocks: readonly FrozenBlock[];
};

/** A message that is left with nothing is left out. */
export function mendHistory(messages: readonly FrozenMessage[], edit: HistoryEdit): FrozenMessage[] {
  return messages.flatMap((message, index) => {
    if (edit.message >= 0 && index !== edit.message) return [message];
    const blocks =
      edit.message < 0
        ? message.blocks.filter((block) => block.takesBreakpoint)
        : message.blocks.flatMap((block, at) => (at === edit.block ? edit.blocks : [block]));
    return blocks.length > 0 ? [{ ...message, blocks }] : [];
  });
}

/** Applies a history-mended record to a history. Pure; used by the loop, the repair and the reader alike. */

import type { FrozenBlock, FrozenMessage } from '../../protocol/frozen-block.js';

export type HistoryEdit = {
  /** -1: drop all thinking. */
  readonly message: number;
  readonly block: number;
  /** Replace the block; empty means it is left out. */
  readonly blocks: readonly FrozenBlock[];
};

/** A message without blocks is left out. */
export function editHistory(messages: readonly FrozenMessage[], edit: HistoryEdit): FrozenMessage[] {
  return messages.flatMap((message, index) => {
    if (edit.message >= 0 && index !== edit.message) return [message];
    const blocks =
      edit.message < 0
        ? message.blocks.filter((block) => block.takesBreakpoint)
        : message.blocks.flatMap((block, at) => (at === edit.block ? edit.blocks : [block]));
    return blocks.length > 0 ? [{ ...message, blocks }] : [];
  });
}

/** How many tokens something has, roughly: for deciding when to compact, never for money. */

import type { FrozenBlock } from '../protocol/frozen-block.js';
import type { HistoryView } from '../protocol/history.js';

const BYTES_PER_TOKEN = 3.5;
/** An image or a page costs by its size in pixels, not in bytes; this is about the largest. */
const TOKENS_PER_PICTURE = 1_600;

export function estimateBlock(block: FrozenBlock): number {
  if (block.type === 'image') return TOKENS_PER_PICTURE;
  if (block.type === 'document') return Math.max(TOKENS_PER_PICTURE, Math.ceil(block.bytes.length / 30));
  return Math.ceil(block.bytes.length / BYTES_PER_TOKEN);
}

export function estimateHistory(history: HistoryView, from = 0): number {
  let tokens = 0;
  for (let index = from; index < history.length; index += 1) {
    for (const block of history.at(index)?.blocks ?? []) tokens += estimateBlock(block);
  }
  return tokens;
}

/** Tells a fork by its conversation, for runs whose record is missing. A quoted tag never makes anybody look like one. */

import { type FrozenMessage, parseBlock } from '../protocol/frozen-block.js';
import { FORK_PLACEHOLDER } from './fork.js';
import { FORK_TAG } from './fork-directive.text.js';

/** A user message whose tool results are all the placeholder, and whose next text block begins with the tag. */
export function looksForked(messages: Iterable<FrozenMessage>): boolean {
  for (const message of messages) {
    if (message.role !== 'user' || message.blocks[0]?.type !== 'tool_result') continue;
    const blocks = message.blocks.map(parseBlock);
    const firstText = blocks.findIndex((block) => block.type !== 'tool_result');
    const results = firstText < 0 ? blocks : blocks.slice(0, firstText);
    const next = blocks[firstText];
    if (next?.type !== 'text' || !next.text.startsWith(FORK_TAG)) continue;
    if (results.every((block) => block.type === 'tool_result' && block.content === FORK_PLACEHOLDER)) return true;
  }
  return false;
}

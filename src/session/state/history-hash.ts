/** A hash over the bytes of a history: equal exactly when the same conversation would be sent. */

import { createHash } from 'node:crypto';
import type { FrozenMessage } from '../../protocol/frozen-block.js';

/** Control characters that JSON always escapes, so two different histories never produce the same bytes. */
const BLOCK_END = '\x1f';
const MESSAGE_END = '\x1e';

export function historyHash(messages: Iterable<FrozenMessage>): string {
  const hash = createHash('sha256');
  for (const { role, blocks } of messages) {
    hash.update(role + BLOCK_END);
    for (const block of blocks) hash.update(block.bytes).update(BLOCK_END);
    hash.update(MESSAGE_END);
  }
  return hash.digest('hex');
}

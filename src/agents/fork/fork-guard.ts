/**
 * Detects whether a run is a fork's. Its own record decides, permanently: no compaction, resume or quotation changes
 * it. An agent with an unreadable record does not continue at all.
 */

import { FORK_ORIGIN, FORK_TYPE } from '../../protocol/agent-spawned.js';
import type { AgentSpawned } from '../../protocol/events.js';
import type { FrozenBlock, FrozenMessage } from '../../protocol/frozen-block.js';
import { parseBlock } from '../../protocol/frozen-block.js';
import type { HistoryView } from '../../protocol/history.js';
import { FORK_PLACEHOLDER, FORK_TAG } from './fork-directive.text.js';

/** Older records may lack the origin; then the type or the shape of the conversation decides. */
export function isForkRun(record: Pick<AgentSpawned, 'origin' | 'type'>, history: Messages): boolean {
  return record.origin === FORK_ORIGIN || record.type === FORK_TYPE || looksForked(history);
}

type Messages = Pick<HistoryView, 'length' | 'at'>;

/** Requires the exact shape of a fork's start: quoting the tag in a file, a message or a result is not enough. */
function looksForked(history: Messages): boolean {
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const message = history.at(index);
    if (message !== undefined && isForkStart(message)) return true;
  }
  return false;
}

/** A user message whose results are all the placeholder, and whose next text begins with the tag. */
function isForkStart({ role, blocks }: FrozenMessage): boolean {
  if (role !== 'user') return false;
  const results = blocks.filter((block) => block.type === 'tool_result');
  if (results.length === 0 || !results.every(isPlaceholder)) return false;
  const next = blocks.slice(blocks.findLastIndex((block) => block.type === 'tool_result') + 1);
  const text = next.find((block) => block.type === 'text');
  const body = text && parseBlock(text);
  return body?.type === 'text' && body.text.startsWith(FORK_TAG);
}

function isPlaceholder(block: FrozenBlock): boolean {
  const result = parseBlock(block);
  if (result.type !== 'tool_result') return false;
  if (typeof result.content === 'string') return result.content === FORK_PLACEHOLDER;
  const [only, ...more] = result.content ?? [];
  return more.length === 0 && only?.type === 'text' && only.text === FORK_PLACEHOLDER;
}

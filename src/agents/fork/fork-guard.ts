/**
 * Is this run a fork's? Its own record says so, for good: no compaction, resume or quotation changes that. The
 * conversation is looked at only where the record is missing, and a record that can't be read counts as a fork's.
 */

import type { FrozenBlock, FrozenMessage } from '../../protocol/frozen-block.js';
import { parseBlock } from '../../protocol/frozen-block.js';
import type { HistoryView } from '../../protocol/history.js';
import { FORK_PLACEHOLDER } from './fork.js';
import { FORK_TAG } from './fork-directive.text.js';

export const FORK_ORIGIN = 'agent:builtin:fork';

/** What is known of how a run began. */
export type Lineage =
  | { readonly kind: 'recorded'; readonly origin: string }
  | { readonly kind: 'missing'; readonly history: Pick<HistoryView, 'length' | 'at'> }
  | { readonly kind: 'unreadable' };

export function isForkRun(lineage: Lineage): boolean {
  switch (lineage.kind) {
    case 'recorded':
      return lineage.origin === FORK_ORIGIN;
    case 'missing':
      return looksForked(lineage.history);
    case 'unreadable':
      return true;
    default:
      return lineage satisfies never;
  }
}

/** A file, a message or a tool result that quotes the tag is none: only the shape in which a fork begins counts. */
export function looksForked(history: Pick<HistoryView, 'length' | 'at'>): boolean {
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
  const words = text && parseBlock(text);
  return words?.type === 'text' && words.text.startsWith(FORK_TAG);
}

function isPlaceholder(block: FrozenBlock): boolean {
  const result = parseBlock(block);
  if (result.type !== 'tool_result') return false;
  if (typeof result.content === 'string') return result.content === FORK_PLACEHOLDER;
  const [only, ...more] = result.content ?? [];
  return more.length === 0 && only?.type === 'text' && only.text === FORK_PLACEHOLDER;
}

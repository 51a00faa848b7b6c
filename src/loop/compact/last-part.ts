/** The part of a conversation that is summarised when all of it is too long for one request. */

import { estimateBlock } from '../../model/models.js';
import { type ContentBlock, type ToolResultBlock, text } from '../../protocol/blocks.js';
import { decode, type FrozenBlock, type FrozenMessage, freezeBlock, parseBlock } from '../../protocol/frozen-block.js';
import { History, type HistoryView } from '../../protocol/history.js';
import { SUMMARY_TAG } from './compact.text.js';

/** Returns the last messages, about `limit` tokens, without separating a result from its call. */
export function lastPart(history: HistoryView, limit: number): HistoryView {
  let start = history.length;
  let tokens = 0;
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const message = history.at(index);
    tokens += sizeOf(message);
    if (tokens > limit) break;
    if (message?.role === 'assistant' || isFresh(message)) start = index;
  }
  if (start === 0) return history;
  return start < history.length ? from(history, start) : shortened(history, limit);
}

/** True for a user message that holds no result. */
export function isFresh(message: FrozenMessage | undefined): boolean {
  return message?.role === 'user' && message.blocks.every((block) => block.type !== 'tool_result');
}

function sizeOf(message: FrozenMessage | undefined): number {
  return (message?.blocks ?? []).reduce((sum, block) => sum + estimateBlock(block), 0);
}

/** Notes that earlier messages are missing, and keeps an earlier summary of them. */
function from(history: HistoryView, start: number): History {
  const part = new History();
  const earlier = history.at(0)?.blocks.filter(isSummary) ?? [];
  const note = freezeBlock(text(`[${start} earlier messages are left out here: the conversation is too long.]`));
  part.append({ role: 'user', blocks: [...earlier, note] });
  for (let index = start; index < history.length; index += 1) {
    const message = history.at(index);
    if (message) part.append(message);
  }
  return part;
}

function isSummary(block: FrozenBlock): boolean {
  return block.type === 'text' && decode(block.bytes.subarray(0, 100)).includes(SUMMARY_TAG);
}

/**
 * For a last message that does not fit either: the last call and its results, or the last text, with the middle cut
 * out.
 */
function shortened(history: HistoryView, limit: number): History {
  const last = history.at(history.length - 1);
  const isPair = last?.role === 'user' && !isFresh(last);
  const whole = from(history, history.length - (isPair ? 2 : 1));
  const blocks = [...whole].reduce((sum, message) => sum + message.blocks.length, 0);
  const bytes = Math.floor((limit * 3) / blocks);
  return History.of(
    [...whole].map((message) => ({ ...message, blocks: message.blocks.map((one) => shorten(one, bytes)) })),
  );
}

function shorten(frozen: FrozenBlock, bytes: number): FrozenBlock {
  if (frozen.bytes.length <= bytes) return frozen;
  const block = parseBlock(frozen);
  if (block.type === 'text') return freezeBlock(text(withoutMiddle(block.text, bytes)));
  if (block.type !== 'tool_result') return frozen;
  return freezeBlock({ ...block, content: [text(withoutMiddle(textOf(block), bytes))] });
}

function textOf({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content;
  return content.map((part: ContentBlock) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

function withoutMiddle(content: string, length: number): string {
  const half = Math.floor(length / 2);
  if (content.length <= length) return content;
  return `${content.slice(0, half)}\n[… ${content.length - 2 * half} characters are left out here …]\n${content.slice(-half)}`;
}

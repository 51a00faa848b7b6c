/**
 * The tags that mark our own text in a conversation, and how imitations of them are told apart (GT-31).
 *
 * Text that enters a conversation from outside gets a mark in every imitation: `<system-reminder>` becomes
 * `<~system-reminder>`, and one that is marked already gets one more. So it can be undone exactly: text that a model
 * writes about what it saw is restored where it leaves the conversation, by taking one mark away.
 */

import { type ResultContent, text } from './blocks.js';

const OUR_TAGS = [
  'system-reminder',
  'task-notification',
  'fork-boilerplate',
  'conversation-summary',
  'compaction',
  'agent-message',
];

const MARK = '~';
/** Letters that don't show: with some of them in between, a tag still reads like ours. */
const UNSEEN = '\\p{Cf}\\p{Mn}\\p{Me}\\u0000-\\u0008\\u115f\\u1160\\u3164\\uffa0\\u2800';
const GAP = `[\\s${UNSEEN}]*`;
const NAME = OUR_TAGS.map((tag) => [...tag].map(likeLetter).join(`[${UNSEEN}]*`)).join('|');
const LIKE_OURS = `(?=${GAP}(?:[/／]${GAP})?(?:${NAME})(?![\\p{L}\\p{N}_]))`;
const IMITATION = new RegExp(`([<＜﹤])(${MARK}*)${LIKE_OURS}`, 'giu');
const MARKED = new RegExp(`([<＜﹤])${MARK}(${MARK}*)${LIKE_OURS}`, 'giu');

/** A letter as written, or as wide as a Chinese one; any kind of dash. */
function likeLetter(letter: string): string {
  if (letter === '-') return '[-_\\u00ad\\p{Pd}\\u2212]';
  return `[${letter}${String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)}]`;
}

/** For text from outside. Changes only imitations of our tags; code stays code. `restoreTags` undoes it exactly. */
export function neutralizeTags(value: string): string {
  return value.replace(IMITATION, `$1${MARK}$2`);
}

/** For text of a model that leaves its conversation: takes one mark from each imitation. Unmarked ones stay. */
export function restoreTags(value: string): string {
  return value.replace(MARKED, '$1$2');
}

/** For text of a model that enters another conversation: what it saw marked stays as it is, what it wrote is marked. */
export function requoteTags(value: string): string {
  return neutralizeTags(restoreTags(value));
}

/** The content of a tool result as the model sees it. Whatever a tool gives is from outside. */
export function neutralizeContent(content: readonly ResultContent[]): readonly ResultContent[] {
  const inert = content.map(neutralizeBlock);
  return inert.every((block, index) => block === content[index]) ? content : [...inert, text(MARK_NOTE)];
}

const MARK_NOTE = `(In the above, <${MARK} before the name of a tag stands for < alone. Edit, Write and Grep take both.)`;

function neutralizeBlock(block: ResultContent): ResultContent {
  switch (block.type) {
    case 'text': {
      const inert = neutralizeTags(block.text);
      return inert === block.text ? block : text(inert);
    }
    case 'document': {
      const title = block.title === undefined ? undefined : neutralizeTags(block.title);
      return title === undefined || title === block.title ? block : { ...block, title };
    }
    case 'image':
      return block;
    default:
      return block satisfies never;
  }
}

/** Escapes a short field completely. */
export function escapeField(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

export function reminder(body: string): string {
  return `<system-reminder>\n${neutralizeTags(body.trim())}\n</system-reminder>`;
}

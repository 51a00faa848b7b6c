/**
 * The tags that mark our own text in a conversation, and how imitations of them are told apart (GT-31).
 *
 * Text that enters a conversation from outside gets a mark in every imitation: `<system-reminder>` becomes
 * `<~system-reminder>`, and one that is marked already gets one more. So it can be undone exactly: text that a model
 * writes about what it saw is restored where it leaves the conversation, by taking one mark away.
 */

import { type ResultContent, text } from './blocks.js';
import { once } from './once.js';

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
const UNSEEN = {
  plain: '\\u0000-\\u0008',
  wide: '\\p{Cf}\\p{Mn}\\p{Me}\\u0000-\\u0008\\u115f\\u1160\\u3164\\uffa0\\u2800',
};

type Patterns = { readonly imitation: RegExp; readonly marked: RegExp };

/** The wide ones take some 20 ms to build, so they are built where a text needs them. */
const plainPatterns = once(() =>
  makePatterns('<', '/', UNSEEN.plain, (letter) => (letter === '-' ? '[-_]' : letter), 'gi'),
);
const widePatterns = once(() => makePatterns('<＜﹤', '/／', UNSEEN.wide, likeLetter, 'giu'));

function makePatterns(
  opens: string,
  slashes: string,
  unseen: string,
  letterLike: (letter: string) => string,
  flags: string,
): Patterns {
  const gap = `[\\s${unseen}]*`;
  const name = OUR_TAGS.map((tag) => [...tag].map(letterLike).join(`[${unseen}]*`)).join('|');
  const word = flags.includes('u') ? '\\p{L}\\p{N}_' : '\\w';
  const likeOurs = `(?=${gap}(?:[${slashes}]${gap})?(?:${name})(?![${word}]))`;
  return {
    imitation: new RegExp(`([${opens}])(${MARK}*)${likeOurs}`, flags),
    marked: new RegExp(`([${opens}])${MARK}(${MARK}*)${likeOurs}`, flags),
  };
}

/** A text of plain letters needs only the plain patterns. */
function patternsFor(value: string): Patterns {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant.
  return /^[\u0000-\u007f]*$/.test(value) ? plainPatterns() : widePatterns();
}

/** A letter as written, or as wide as a Chinese one; any kind of dash. */
function likeLetter(letter: string): string {
  if (letter === '-') return '[-_\\u00ad\\p{Pd}\\u2212]';
  return `[${letter}${String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)}]`;
}

/** For text from outside. Changes only imitations of our tags; code stays code. `restoreTags` undoes it exactly. */
export function neutralizeTags(value: string): string {
  return OPENS.test(value) ? value.replace(patternsFor(value).imitation, `$1${MARK}$2`) : value;
}

/** For text of a model that leaves its conversation: takes one mark from each imitation. Unmarked ones stay. */
export function restoreTags(value: string): string {
  return OPENS.test(value) ? value.replace(patternsFor(value).marked, '$1$2') : value;
}

const OPENS = /[<＜﹤]/;

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

/** The text of a skill that was taken up. What it says is to be followed, so it is no tool result. */
export function skillReminder(name: string, body: string): string {
  return wrapped(neutralizeTags(`${SKILL_HEAD}${name}\n\n${body}`.trim()));
}

/** Its text, shorter. */
export function shortenSkill(words: string, most: number, note: string): string {
  const body = words.slice(OPENING.length, OPENING.length + most).toWellFormed();
  return wrapped(`${body}\n${note}`);
}

const SKILL_HEAD = 'Taken up, to be followed now: the skill ';

/** The skill whose text a block of the person's side holds. No other reminder of ours begins so. */
export function skillIn(words: string): string | undefined {
  const head = `${OPENING}${SKILL_HEAD}`;
  return words.startsWith(head) ? words.slice(head.length).split('\n', 1)[0] : undefined;
}

export function reminder(body: string): string {
  return inertReminder(neutralizeTags(body.trim()));
}

/** For text whose imitations are marked already. What only begins like a skill gets a mark, too. */
export function inertReminder(body: string): string {
  return wrapped(body.startsWith(SKILL_HEAD) ? `${MARK}${body}` : body);
}

const OPENING = '<system-reminder>\n';

function wrapped(body: string): string {
  return `${OPENING}${body}\n</system-reminder>`;
}

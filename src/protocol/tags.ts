/**
 * The tags that mark our own text in a conversation, and the escaping of imitations (GT-31).
 *
 * Text that enters a conversation from outside gets a mark in every imitation: `<system-reminder>` becomes
 * `<~system-reminder>`, and one that is already marked gets another mark. This can be undone exactly: when a model's
 * text
 * leaves the conversation, one mark is removed from each imitation.
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
/** Invisible characters: with some of them in between, a tag still looks like ours. */
const UNSEEN = {
  plain: '\\u0000-\\u0008\\u000b-\\u001f\\u007f',
  wide: '\\p{Cf}\\p{Mn}\\p{Me}\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u115f\\u1160\\u3164\\uffa0\\u2800',
};

type Patterns = { readonly imitation: RegExp; readonly marked: RegExp };

/** The wide patterns take some 20 ms to build, so they are built only for text that needs them. */
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

/** ASCII text needs only the plain patterns. */
function patternsFor(value: string): Patterns {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant.
  return /^[\u0000-\u007f]*$/.test(value) ? plainPatterns() : widePatterns();
}

/** Matches a letter as written or in full width, and any kind of dash. */
function likeLetter(letter: string): string {
  if (letter === '-') return '[-_\\u00ad\\p{Pd}\\u2212]';
  return `[${letter}${String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)}]`;
}

/** Escapes text from outside. Changes only imitations of our tags. `restoreTags` undoes it exactly. */
export function neutralizeTags(value: string): string {
  return OPENS.test(value) ? value.replace(patternsFor(value).imitation, `$1${MARK}$2`) : value;
}

/** Restores a model's text that leaves its conversation: removes one mark from each imitation. */
export function restoreTags(value: string): string {
  return OPENS.test(value) ? value.replace(patternsFor(value).marked, '$1$2') : value;
}

const OPENS = /[<＜﹤]/;

/** Escapes a model's text that enters another conversation: marks it saw stay, imitations it wrote are marked. */
export function requoteTags(value: string): string {
  return neutralizeTags(restoreTags(value));
}

/** Returns the content of a tool result as the model sees it. Everything a tool returns is from outside. */
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

/** The text of a loaded skill. The model should follow it, so it is not a tool result. */
export function skillReminder(name: string, body: string): string {
  return wrapped(neutralizeTags(`${SKILL_HEAD}${name}\n\n${body}`.trim()));
}

/** Shortens the text of a skill. */
export function shortenSkill(skill: string, most: number, note: string): string {
  const body = skill.slice(OPENING.length, OPENING.length + most).toWellFormed();
  return wrapped(`${body}\n${note}`);
}

const SKILL_HEAD = 'Taken up, to be followed now: the skill ';

/** Returns the name of the skill whose text a user block contains. No other reminder starts this way. */
export function skillIn(block: string): string | undefined {
  const head = `${OPENING}${SKILL_HEAD}`;
  return block.startsWith(head) ? block.slice(head.length).split('\n', 1)[0] : undefined;
}

export function reminder(body: string): string {
  return inertReminder(neutralizeTags(body.trim()));
}

/** For text whose imitations are already marked. Text that only starts like a skill gets a mark, too. */
export function inertReminder(body: string): string {
  return wrapped(body.startsWith(SKILL_HEAD) ? `${MARK}${body}` : body);
}

const OPENING = '<system-reminder>\n';

function wrapped(body: string): string {
  return `${OPENING}${body}\n</system-reminder>`;
}

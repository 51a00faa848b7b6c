/**
 * Text in pieces with a style each, and its rows. The text is wrapped first and styled afterwards, so every row opens
 * and closes its own codes and no colour reaches the next row.
 */

import { clip, widthOf } from '../screen/width.js';
import type { Style } from '../theme/theme.js';

export type Span = { readonly text: string; readonly style?: Style | undefined };

export type WrapOptions = {
  readonly width: number;
  /** Before the first row, and before the others: as wide as each other, styled or not. */
  readonly first?: string;
  readonly rest?: string;
  /** As in code: spaces stay, and a row ends where it is full. */
  readonly hard?: boolean;
};

/** The least that stays for the text, however long what goes before it is. */
const LEAST = 4;

export function wrapSpans(spans: readonly Span[], { width, first = '', rest = first, hard }: WrapOptions): string[] {
  const before = widthOf(first);
  const room = width - before;
  // What goes before gives way where there is no room for both.
  if (before > 0 && room < LEAST) return wrapSpans(spans, { width, ...(hard ? { hard } : {}) });
  const only = onlyRow(spans, room, hard ?? false);
  if (only !== undefined) return [first + only];
  const rows = new Rows(Math.max(1, room));
  for (const { text, style } of spans) {
    text.split('\n').forEach((line, index) => {
      if (index > 0) rows.end();
      rows.add(line, style, hard ?? false);
    });
  }
  return rows.all().map((row, index) => {
    const lead = index === 0 ? first : rest;
    const whole = row === '' ? lead.trimEnd() : `${lead}${row}`;
    // Characters of several spans may join and be wider together than each for itself: never letters like these.
    return room > 0 && PLAIN_ROW.test(row) ? whole : clip(whole, Math.max(1, width));
  });
}

/** Most text is plain and fits into one row as it is. Undefined: it is to be looked at word by word. */
function onlyRow(spans: readonly Span[], room: number, hard: boolean): string | undefined {
  let whole = '';
  for (const { text } of spans) whole += text;
  if (whole === '' || whole.length > room || !(hard ? PLAIN : SINGLY_SPACED).test(whole)) return undefined;
  let row = '';
  for (let at = 0; at < spans.length; ) {
    const { style } = spans[at] ?? {};
    let text = '';
    for (; at < spans.length && spans[at]?.style === style; at += 1) text += spans[at]?.text ?? '';
    if (text !== '') row += paint({ text, style });
  }
  return row;
}

/** Puts words into rows: a space at which a row ends is not shown, a word too long for a row is cut between characters. */
class Rows {
  readonly #room: number;
  readonly #rows: string[] = [];
  #row: Span[] = [];
  #width = 0;
  /** A word under way, over the spans it has parts in, and the spaces before it. */
  #word: Span[] = [];
  #wordWidth = 0;
  #gap: Span | undefined;

  constructor(room: number) {
    this.#room = room;
  }

  add(line: string, style: Style | undefined, hard: boolean): void {
    if (hard) {
      this.#cutInto(line, style);
      return;
    }
    for (const part of line.match(/[ \t]+|[^ \t]+/g) ?? []) {
      if (part.startsWith(' ') || part.startsWith('\t')) {
        this.#endWord();
        this.#gap = { text: ' ', style };
      } else this.#addToWord(part, style);
    }
  }

  end(): void {
    this.#endWord();
    this.#gap = undefined;
    this.#flush();
  }

  all(): readonly string[] {
    this.end();
    return this.#rows;
  }

  #addToWord(part: string, style: Style | undefined): void {
    if (PLAIN.test(part)) {
      this.#word.push({ text: part, style });
      this.#wordWidth += part.length;
      return;
    }
    // Languages without spaces may end a row between any two letters.
    for (const text of WIDE.test(part) ? graphemesOf(part) : [part]) {
      if (this.#word.length > 0 && WIDE.test(text)) this.#endWord();
      this.#word.push({ text, style });
      this.#wordWidth += widthOf(text);
      if (WIDE.test(text)) this.#endWord();
    }
  }

  #endWord(): void {
    if (this.#word.length === 0) return;
    const gap = this.#gap !== undefined && this.#width > 0 ? 1 : 0;
    if (this.#width + gap + this.#wordWidth > this.#room && this.#width > 0) this.#flush();
    else if (gap > 0 && this.#gap !== undefined) this.#put(this.#gap, 1);
    this.#gap = undefined;
    const word = this.#word;
    this.#word = [];
    if (this.#wordWidth <= this.#room) for (const span of word) this.#put(span, widthOf(span.text));
    else for (const { text, style } of word) this.#cutInto(text, style);
    this.#wordWidth = 0;
  }

  #cutInto(text: string, style: Style | undefined): void {
    const whole = widthOf(text);
    if (this.#width + whole <= this.#room) {
      this.#put({ text, style }, whole);
      return;
    }
    let piece = '';
    let width = 0;
    for (const grapheme of graphemesOf(text)) {
      const more = widthOf(grapheme);
      if (this.#width + width + more > this.#room && this.#width + width > 0) {
        this.#put({ text: piece, style }, width);
        this.#flush();
        [piece, width] = ['', 0];
      }
      piece += grapheme;
      width += more;
    }
    this.#put({ text: piece, style }, width);
  }

  #put(span: Span, width: number): void {
    if (span.text === '') return;
    const last = this.#row.at(-1);
    if (last !== undefined && last.style === span.style) this.#row[this.#row.length - 1] = joined(last, span);
    else this.#row.push(span);
    this.#width += width;
  }

  #flush(): void {
    this.#rows.push(this.#row.map(paint).join(''));
    this.#row = [];
    this.#width = 0;
  }
}

export function paint({ text, style }: Span): string {
  return style === undefined ? text : style(text);
}

function joined(one: Span, other: Span): Span {
  return { text: one.text + other.text, style: one.style };
}

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60]/u;

/** A run of plain letters needs no search for characters that belong together. */
function graphemesOf(text: string): Iterable<string> {
  return PLAIN.test(text) ? text : segments(text);
}

const PLAIN = /^[\x20-\x7e]*$/;
/** Without spaces at the ends. */
const SINGLY_SPACED = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with one.
const PLAIN_ROW = /^[\x20-\x7e\u001b]*$/;

function* segments(text: string): Generator<string> {
  for (const { segment } of segmenter.segment(text)) yield segment;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Tabs are as wide as the terminal likes: in a row they are spaces. */
export function expandTabs(text: string): string {
  return text.includes('\t') ? text.replaceAll('\t', '    ') : text;
}

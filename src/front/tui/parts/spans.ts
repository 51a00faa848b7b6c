/**
 * Styled spans of text, and their rows. The text is wrapped first and styled afterwards, so every row opens and closes
 * its own codes and no colour reaches the next row.
 */

import { clip, widthOf } from '../screen/width.js';
import type { Style } from '../theme/theme.js';

export type Span = { readonly text: string; readonly style?: Style | undefined };

export type WrapOptions = {
  readonly width: number;
  /** Prefixes of the first row and of the others: of the same width, styled or not. */
  readonly first?: string;
  readonly rest?: string;
  /** As in code: spaces stay, and a row ends where it is full. */
  readonly hard?: boolean;
};

/** The least width left for the text, however long the prefix is. */
const LEAST = 4;

export function wrapSpans(spans: readonly Span[], { width, first = '', rest = first, hard }: WrapOptions): string[] {
  const before = widthOf(first);
  const room = width - before;
  // The prefix is dropped if there is no room for both.
  if (before > 0 && room < LEAST) return wrapSpans(spans, { width, ...(hard ? { hard } : {}) });
  const plain = plainRows(spans, room, hard ?? false);
  if (plain !== undefined) return plain.map((row, index) => `${index === 0 ? first : rest}${row}`);
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
    // Characters of several spans may combine and be wider together than apart: never letters like these.
    return room > 0 && PLAIN_ROW.test(row) ? whole : clip(whole, Math.max(1, width));
  });
}

/** A fast path for plain text without words longer than a row. Undefined: it does not apply. */
function plainRows(spans: readonly Span[], room: number, hard: boolean): readonly string[] | undefined {
  let whole = '';
  for (const { text } of spans) whole += text;
  if (whole === '' || !(hard ? PLAIN : SINGLY_SPACED).test(whole)) return undefined;
  if (hard && whole.length > room) return undefined;
  const rows: string[] = [];
  let from = 0;
  while (whole.length - from > room) {
    const end = whole.lastIndexOf(' ', from + room);
    if (end <= from) return undefined;
    rows.push(paintPart(spans, from, end));
    from = end + 1;
  }
  return [...rows, paintPart(spans, from, whole.length)];
}

/** Letters of the spans together, from one position to another. */
function paintPart(spans: readonly Span[], from: number, to: number): string {
  let row = '';
  let open: Span = { text: '' };
  let at = 0;
  for (const { text, style } of spans) {
    const part = text.slice(Math.max(0, from - at), Math.max(0, to - at));
    at += text.length;
    if (part === '') continue;
    if (style === open.style) open = { text: open.text + part, style };
    else {
      if (open.text !== '') row += paint(open);
      open = { text: part, style };
    }
  }
  return row + paint(open);
}

/** Puts words into rows: a space at the end of a row is dropped, a word too long for a row is cut between characters. */
class Rows {
  readonly #room: number;
  readonly #rows: string[] = [];
  #row: Span[] = [];
  #width = 0;
  /** The current word, across spans, and the spaces before it. */
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
    // Languages without spaces may break a row between any two letters.
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

/** A run of plain letters needs no search for graphemes. */
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

/** Replaces tabs by spaces: their width depends on the terminal. */
export function expandTabs(text: string): string {
  return text.includes('\t') ? text.replaceAll('\t', '    ') : text;
}

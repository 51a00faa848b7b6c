/** Measures, cuts and wraps text by terminal columns. Colour codes (SGR) take none. */

import truncate from 'fast-string-truncated-width';
import measure from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';
import { carryCodes } from './carry-codes.js';

const PLAIN = /^[\x20-\x7e]*$/;
/** A colour code, or a character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour code begins with one.
const LAST = /(?:\u001b\[[\d;:]*m|.)$/su;
const MOST_CACHED = 5000;
/** Longer text is seldom measured twice. */
const LONGEST_KEPT = 400;
const cache = new Map<string, number>();

export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  const known = cache.get(text);
  if (known !== undefined) return known;
  const width = measure(text);
  if (text.length <= LONGEST_KEPT) {
    if (cache.size >= MOST_CACHED) cache.clear();
    cache.set(text, width);
  }
  return width;
}

/** At most `width` columns; a cut text ends in `…`, its codes closed. */
export function clip(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  const start = cut(text, width - 1);
  return start.includes('\u001b') ? `${start}…\u001b[0m` : `${start}…`;
}

/** The start of a text that fits into `width` columns. Codes stay open. */
export function cut(text: string, width: number): string {
  if (width <= 0) return '';
  if (PLAIN.test(text)) return text.slice(0, width);
  const { index } = truncate(text, { limit: width, ellipsis: '' });
  let start = text.slice(0, isLowSurrogate(text.charCodeAt(index)) ? index - 1 : index);
  // At some characters (`● w`) the library cuts one too late.
  while (start !== '' && widthOf(start) > width) start = start.replace(LAST, '');
  return start;
}

/** Rows of at most `width` columns, each with its codes opened and closed. Line breaks stay. */
export function wrap(text: string, width: number): string[] {
  const room = Math.max(1, width);
  if (!text.includes('\n') && widthOf(text) <= room) return [text];
  return carryCodes(wrapAnsi(text, room, { hard: true, trim: false }).split('\n'));
}

/** Pads with spaces to `width` columns; wider text stays as it is. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

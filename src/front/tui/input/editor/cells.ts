/**
 * Text as the user sees it: cells, each a grapheme, or a chip that represents something larger. The cursor is between
 * cells, never inside one.
 */

import type { ImageMediaType } from '../../../../protocol/blocks.js';
import { escapeControls } from '../../../../protocol/escape-controls.js';

export type Image = {
  readonly media_type: ImageMediaType;
  readonly data: string;
  readonly name?: string | undefined;
};

export type Chip =
  | { readonly kind: 'paste'; readonly label: string; readonly text: string }
  | { readonly kind: 'image'; readonly label: string; readonly image: Image };

export type Cell = string | Chip;

/** Cells of one line each. */
export type CellLines = readonly (readonly Cell[])[];

const TAB = '    ';
/** Represents a chip where only characters matter. */
const CHIP_MARK = '\ufffc';

/** ASCII needs no segmenter, which takes milliseconds to create. */
export function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 126) return false;
  return true;
}

/** The graphemes of a line. */
export function segment(text: string): string[] {
  if (isPlain(text)) return text.split('');
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

let segmenter: Intl.Segmenter | undefined;

/** Text that may have several lines. Control characters other than tabs are removed. */
export function cellLines(text: string): CellLines {
  return cleanText(text)
    .split('\n')
    .map((line) => segment(line));
}

export function cleanText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/(?![\n\t])\p{Cc}/gu, '');
}

/** The text that cells represent. An image has a label, so that the prompt can refer to it. */
export function wholeText(cells: readonly Cell[]): string {
  return cells
    .map((cell) => (typeof cell === 'string' ? cell : cell.kind === 'paste' ? cell.text : cell.label))
    .join('');
}

/** One character for each chip. */
export function markedText(cells: readonly Cell[]): string {
  return cells.map((cell) => (typeof cell === 'string' ? cell : CHIP_MARK)).join('');
}

/** The visible form of a cell. Invisible characters are escaped, so that no text hides. */
export function shownText(cell: Cell): string {
  if (typeof cell !== 'string') return cell.label;
  if (cell.length === 1 && cell >= ' ' && cell <= '~') return cell;
  if (cell === '\t') return TAB;
  return /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(cell) ? escapeControls(cell) : cell;
}

/** Words and the spaces between them are undone together; longer insertions on their own. */
export function classOfTyped(text: string): 'space' | 'word' | 'other' {
  if (text === ' ' || text === '\t') return 'space';
  return text.length <= 2 && text !== '\n' ? 'word' : 'other';
}

/** Inserts cells between others. Characters that combine (an accent, parts of an emoji) become one. */
export function joinCells(
  left: readonly Cell[],
  middle: readonly Cell[],
  right: readonly Cell[],
): { readonly cells: readonly Cell[]; readonly after: number } {
  const whole = { cells: [...left, ...middle, ...right], after: left.length + middle.length };
  const before = left.at(-1);
  const next = right[0];
  const first = middle.length > 0 ? middle[0] : next;
  const last = middle.length > 0 ? middle.at(-1) : before;
  if (!mayMeet(before, first) && !mayMeet(last, next)) return whole;
  const start = typeof before === 'string' ? left.length - 1 : left.length;
  const end = left.length + middle.length + (typeof next === 'string' ? 1 : 0);
  const around = whole.cells.slice(start, end);
  if (around.some((cell) => typeof cell !== 'string')) return whole;
  const joined = segment(around.join(''));
  const upTo = wholeText(whole.cells.slice(start, whole.after)).length;
  let after = start;
  for (let length = 0; length < upTo; after += 1) length += joined[after - start]?.length ?? 1;
  return { cells: [...whole.cells.slice(0, start), ...joined, ...whole.cells.slice(end)], after };
}

function mayMeet(left: Cell | undefined, right: Cell | undefined): boolean {
  return typeof left === 'string' && typeof right === 'string' && !(isPlain(left) && isPlain(right));
}

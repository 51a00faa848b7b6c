/** A row of small pieces with dots between them. Where it is too narrow, pieces go, in an order of their own. */

import { clip, widthOf } from '../screen/width.js';

export type Cell = {
  readonly text: string;
  readonly style?: ((text: string) => string) | undefined;
  /** Which goes first: 1 before 2. Without it the piece stays. */
  readonly goes?: number | undefined;
  /** What stands before it, if it is not the first. */
  readonly joint?: string;
};

const JOINT = ' · ';

/** At most `width` columns. Empty pieces are left out. */
export function cellRow(cells: readonly Cell[], width: number, joint: (text: string) => string = plain): string {
  let shown = cells.filter(({ text }) => text !== '');
  let total = totalWidth(shown);
  for (const order of ordersOf(shown)) {
    if (total <= width) break;
    shown = shown.filter(({ goes }) => goes !== order);
    total = totalWidth(shown);
  }
  const row = shown.map((cell, index) => `${index === 0 ? '' : joint(cell.joint ?? JOINT)}${paint(cell)}`).join('');
  return total <= width ? row : clip(row, width);
}

function paint({ text, style }: Cell): string {
  return style === undefined ? text : style(text);
}

/** Of all but those that are empty; the first one counts even so, as what the others are joined to. */
export function cellsWidth(cells: readonly Cell[]): number {
  return totalWidth(cells.filter(({ text }, index) => index === 0 || text !== ''));
}

function totalWidth(cells: readonly Cell[]): number {
  return cells.reduce(
    (sum, { text, joint = JOINT }, index) => sum + widthOf(text) + (index === 0 ? 0 : joint.length),
    0,
  );
}

function ordersOf(cells: readonly Cell[]): readonly number[] {
  return [...new Set(cells.flatMap(({ goes }) => goes ?? []))].sort((a, b) => a - b);
}

function plain(text: string): string {
  return text;
}

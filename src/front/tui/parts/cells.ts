/** A row of small pieces separated by dots. If it is too narrow, pieces are dropped in their own order. */

import { clip, widthOf } from '../screen/width.js';

export type Cell = {
  readonly text: string;
  readonly style?: ((text: string) => string) | undefined;
  /** Drop order: 1 before 2. Without it the piece stays. */
  readonly goes?: number | undefined;
  /** The separator before it, unless it is the first. */
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

/** The width of all non-empty pieces; the first counts even if empty, since the others are joined to it. */
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

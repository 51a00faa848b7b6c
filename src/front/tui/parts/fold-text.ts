/** Text on as many rows as it needs, cut at columns and not at words: nothing is lost or moved. */

import { cut, widthOf } from '../screen/width.js';

/** `first` precedes the first row, `rest` the others. */
export function foldText(text: string, width: number, first: string, rest: string): readonly string[] {
  const rows: string[] = [];
  let left = text;
  do {
    const margin = rows.length === 0 ? first : rest;
    const room = Math.max(1, width - widthOf(margin));
    // A character that is wider than the room would never fit.
    const part = widthOf(left) <= room ? left : cut(left, room) || ([...left][0] ?? '');
    rows.push(`${margin}${part}`);
    left = left.slice(part.length);
  } while (left !== '');
  return rows;
}

/** Paints the alternate screen: every row has its place, and only changed ones are written. Pure. */

import * as controls from './controls.js';
import type { Frame, Size } from './frame.js';
import { asFrame, isSameSize } from './painter.js';

export type PaintedPage = { readonly frame: Frame; readonly size: Size };

/** `before` is undefined if the content of the screen is unknown. `frame`: from `fitPage`. */
export function paintPage(before: PaintedPage | undefined, frame: Frame, size: Size): string {
  const known = before !== undefined && isSameSize(before.size, size) ? before.frame.rows : undefined;
  let bytes = '';
  for (let index = 0; index < size.rows; index += 1) {
    const row = frame.rows[index] ?? '';
    if (known !== undefined && row === (known[index] ?? '')) continue;
    bytes += controls.toPosition(index, 0) + row + (row.includes('\u001b') ? controls.RESET_STYLE : '');
    bytes += controls.ERASE_REST_OF_ROW;
  }
  if (bytes === '' && isSameCursor(before?.frame.cursor, frame.cursor)) return '';
  if (frame.cursor !== undefined) bytes += controls.toPosition(frame.cursor.row, frame.cursor.column);
  return asFrame(bytes, frame.cursor !== undefined);
}

function isSameCursor(one: Frame['cursor'], other: Frame['cursor']): boolean {
  return one?.row === other?.row && one?.column === other?.column;
}

/** Fits a frame to the screen: few enough rows, none too wide, nothing in them that moves the cursor. */

import type { Frame, Size } from './frame.js';
import { cut, widthOf } from './width.js';

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: taking control characters out is the point.
const CONTROLS = /\u001b(?!\[[\d;:]*m)|[\u0000-\u001a\u001c-\u001f\u007f-\u009f]/;
const ALL_CONTROLS = new RegExp(CONTROLS, 'g');
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: taking control characters out is the point.

/** Terminals disagree about the width of these: joiners, variation selectors, skin tones, flags, scripts of India. */
const UNCERTAIN = /[\u200d\ufe0e\ufe0f\u{1f3fb}-\u{1f3ff}\u{1f1e6}-\u{1f1ff}\u{e0020}-\u{e007f}\u0900-\u0dff]/u;
const JOINING = /[\u200d\ufe0e\ufe0f\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]/gu;

/** While a window gets narrower, rows this short don't wrap at its next step. */
const NARROW_SHARE = 0.6;

/** The first step to a narrower window is not announced: rows with this much free space don't wrap at it. */
const MARGIN = 8;

/** The size available to the live area. */
export function liveSize({ columns, rows }: Size): Size {
  return { columns: columns - Math.min(MARGIN, Math.floor(columns / 10)), rows };
}

export function isUncertain(row: string): boolean {
  return UNCERTAIN.test(row);
}

/** Removes everything that controls the terminal. Tabs become spaces: their stops depend on the terminal. */
export function cleanRow(row: string): string {
  if (!CONTROLS.test(row)) return row;
  return row.replaceAll('\t', '    ').replace(ALL_CONTROLS, '');
}

/** For the live area: at most `rows - 1`, so that a line of the history is always in sight, including the cursor's row. */
export function fitLive(frame: Frame, size: Size, isNarrowing: boolean): Frame {
  const shown = fitRows(frame, Math.max(1, size.rows - 1));
  const width = isNarrowing ? Math.floor(size.columns * NARROW_SHARE) : size.columns - 1;
  const { cursor } = shown;
  return {
    // Only the cursor's row stays exact: elsewhere joined parts are separated, so that the width is known.
    rows: shown.rows.map((row, index) => fitRow(index === cursor?.row ? row : separate(row), width)),
    cursor: cursor && { row: cursor.row, column: Math.min(cursor.column, width) },
  };
}

/** For the whole screen. */
export function fitPage(frame: Frame, size: Size): Frame {
  const { rows, cursor } = fitRows(frame, size.rows);
  return { rows: rows.map((row) => fitRow(row, size.columns - 1)), cursor };
}

function fitRows({ rows, cursor }: Frame, most: number): Frame {
  if (cursor !== undefined && (cursor.row < 0 || cursor.row >= rows.length)) return fitRows({ rows }, most);
  if (rows.length <= most) return { rows, cursor };
  const last = rows.length - most;
  const from = cursor === undefined ? last : Math.min(last, Math.max(0, cursor.row - Math.min(2, most - 1)));
  return {
    rows: rows.slice(from, from + most),
    cursor: cursor && { row: cursor.row - from, column: cursor.column },
  };
}

function fitRow(row: string, width: number): string {
  const clean = cleanRow(row);
  if (widthOf(clean) <= width) return clean;
  return cut(clean, width);
}

function separate(row: string): string {
  return isUncertain(row) ? row.replace(JOINING, '') : row;
}

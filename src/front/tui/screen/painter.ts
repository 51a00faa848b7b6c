/**
 * Paints the normal screen: history once, above; below it the live area, of which only changes are written. Pure: computes
 * the bytes between the current and the next content of the screen.
 */

import * as controls from './controls.js';
import { isUncertain } from './fit-frame.js';
import type { Frame, Size } from './frame.js';
import { cut, widthOf } from './width.js';

export type Painted = {
  /** The live area. Empty: the cursor is where it will begin. */
  readonly rows: readonly string[];
  /** Number of rows from the first on; those after the last are empty. */
  readonly room: number;
  readonly cursor: { readonly row: number; readonly column: number };
  readonly isCursorShown: boolean;
  readonly size: Size;
  /** Time of the last change of size. */
  readonly resizedAt: number;
};

export type PaintRequest = {
  readonly size: Size;
  /** From `fitLive`. */
  readonly frame: Frame;
  /** Rows that are not written yet, clean, made for this size or an earlier one. */
  readonly history: readonly string[];
  readonly now: number;
  /** True if the terminal rewraps its rows when it gets narrower; some cut them. */
  readonly reflows: boolean;
};

/** Rows that stay free during an insertion: the window may be lower by the time the terminal reads it. */
const SPARE_ROWS = 2;
/** After a resize the terminal may still be changing: rows are rewritten instead of inserted. */
const SETTLING_MS = 500;

export function nothingPainted(size: Size): Painted {
  return {
    rows: [],
    room: 0,
    cursor: { row: 0, column: 0 },
    isCursorShown: true,
    size,
    resizedAt: Number.NEGATIVE_INFINITY,
  };
}

/** `bytes` is empty if nothing changed. */
export function paint(painted: Painted, request: PaintRequest): { bytes: string; painted: Painted } {
  const pen = new Pen(painted);
  const isResized = !isSameSize(painted.size, request.size);
  const resizedAt = isResized ? request.now : painted.resizedAt;
  if (isResized) pen.eraseReflowed(request.size.columns, request.reflows);
  if (request.history.length > 0) {
    if (canInsert(pen.rows.length, request, resizedAt)) pen.insertHistory(request.history, request.size.rows);
    else pen.rewriteHistory(request.history);
  }
  pen.paintRows(request.frame.rows);
  const cursor = request.frame.cursor ?? { row: Math.max(0, request.frame.rows.length - 1), column: 0 };
  const isCursorShown = request.frame.cursor !== undefined;
  const next = { rows: request.frame.rows, room: pen.room, cursor, isCursorShown, size: request.size, resizedAt };
  const hasMoved = cursor.row !== painted.cursor.row || cursor.column !== painted.cursor.column;
  if (pen.bytes === '' && !hasMoved && isCursorShown === painted.isCursorShown) return { bytes: '', painted: next };
  pen.placeCursor(cursor, request.frame.rows[cursor.row] ?? '');
  return { bytes: asFrame(pen.bytes, isCursorShown), painted: next };
}

/** Removes the live area: the cursor goes where it began. */
export function eraseLive({ rows, cursor }: Painted): string {
  return rows.length === 0 ? '' : `${controls.up(cursor.row)}\r${controls.ERASE_BELOW}`;
}

/** Leaves the live area in place: the cursor goes below it. */
export function leaveLive({ rows, cursor }: Painted): string {
  return rows.length === 0 ? '' : `${controls.downInNew(rows.length - 1 - cursor.row)}\r\n`;
}

export function asFrame(bytes: string, isCursorShown: boolean): string {
  const { BEGIN_FRAME, HIDE_CURSOR, UNWRAPPED, WRAPPED, SHOW_CURSOR, END_FRAME } = controls;
  return `${BEGIN_FRAME}${HIDE_CURSOR}${UNWRAPPED}${bytes}${WRAPPED}${isCursorShown ? SHOW_CURSOR : ''}${END_FRAME}`;
}

export function isSameSize(one: Size, other: Size): boolean {
  return one.columns === other.columns && one.rows === other.rows;
}

/**
 * Inserting leaves the live rows untouched, but each line must be one row of the terminal: one of uncertain width is
 * written with autowrap on instead. A lot of text is cheaper to write than to insert.
 */
function canInsert(liveRows: number, { history, now, size }: PaintRequest, resizedAt: number): boolean {
  if (liveRows === 0 || history.length > 2 * (size.rows - liveRows - SPARE_ROWS)) return false;
  if (now - resizedAt <= SETTLING_MS) return false;
  return !history.some(isUncertain);
}

class Pen {
  bytes = '';
  rows: readonly string[];
  room: number;
  #row: number;
  #column: number;

  constructor({ rows, room, cursor }: Painted) {
    this.rows = rows;
    this.room = room;
    this.#row = cursor.row;
    this.#column = cursor.column;
  }

  /** The terminal has moved our rows: finds the first again, and erases everything from there on. */
  eraseReflowed(columns: number, reflows: boolean): void {
    if (this.rows.length > 0) {
      const heights = this.rows.slice(0, this.#row).map((row) => Math.max(1, Math.ceil(widthOf(row) / columns)));
      const above = heights.reduce((sum, height) => sum + height, Math.floor(this.#column / columns));
      this.bytes += `${controls.up(reflows ? above : this.#row)}\r${controls.ERASE_BELOW}`;
    }
    this.rows = [];
    this.#row = 0;
  }

  /** Scrolls the screen, opens rows above the live area and fills them. */
  insertHistory(history: readonly string[], screenRows: number): void {
    const height = this.rows.length;
    const most = screenRows - height - SPARE_ROWS;
    for (let from = 0; from < history.length; from += most) {
      const part = history.slice(from, from + most);
      this.bytes += controls.downInNew(height - 1 - this.#row + part.length);
      this.bytes += `\r${controls.up(height - 1 + part.length)}`;
      this.bytes += controls.insertRows(part.length) + part.map((row) => `${closed(row)}\r\n`).join('');
      this.#row = 0;
      this.room = Math.max(height, this.room - part.length);
    }
  }

  /** Erases the live area, which is painted again below. */
  rewriteHistory(history: readonly string[]): void {
    this.#go(0);
    this.bytes += `\r${controls.ERASE_BELOW}${controls.WRAPPED}`;
    this.bytes += `${history.map((row) => `${closed(row)}\r\n`).join('')}${controls.UNWRAPPED}`;
    this.rows = [];
  }

  paintRows(next: readonly string[]): void {
    if (this.rows.length === 0) {
      this.#paintFirst(next);
      return;
    }
    const start = this.bytes;
    this.bytes = '';
    this.#makeRoom(next.length);
    const room = this.bytes;
    const home = this.#row;
    this.bytes = '';
    next.forEach((row, index) => {
      if (row !== this.rows[index]) this.#paintRow(row, index);
    });
    if (next.length < this.rows.length) {
      this.#go(next.length);
      this.bytes += `\r${controls.ERASE_BELOW}`;
    }
    this.#row = home;
    // Back to the earlier cursor position in one step: correct even if the window was resized meanwhile. There is no
    // scrolling in between: terminals differ in what they restore.
    if (this.bytes !== '') this.bytes = controls.SAVE_CURSOR + this.bytes + controls.RESTORE_CURSOR;
    this.bytes = start + room + this.bytes;
  }

  placeCursor(cursor: Painted['cursor'], row: string): void {
    this.#go(cursor.row);
    // The terminal finds the column in a row of uncertain width.
    this.bytes += isUncertain(row) ? `\r${closed(cut(row, cursor.column))}` : controls.toColumn(cursor.column);
  }

  #paintFirst(rows: readonly string[]): void {
    this.bytes += rows.map((row) => `\r${closed(row)}${controls.ERASE_REST_OF_ROW}`).join('\n');
    this.#row = Math.max(0, rows.length - 1);
    this.room = rows.length;
  }

  /** Adds rows below the last one, if there are more than before. */
  #makeRoom(height: number): void {
    if (height <= this.room) return;
    this.room = height;
    const below = height - 1 - this.#row;
    this.bytes += controls.downInNew(below) + controls.up(below);
  }

  #paintRow(row: string, index: number): void {
    this.#go(index);
    const from = sameStart(this.rows[index] ?? '', row);
    this.bytes += `\r${controls.right(from)}${closed(row.slice(from))}${controls.ERASE_REST_OF_ROW}`;
  }

  #go(row: number): void {
    this.bytes += row > this.#row ? controls.down(row - this.#row) : controls.up(this.#row - row);
    this.#row = row;
  }
}

function closed(row: string): string {
  return row.includes('\u001b') ? row + controls.RESET_STYLE : row;
}

/** Number of leading columns that are equal, plain, and one column each in every terminal. */
function sameStart(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before.charCodeAt(at) === after.charCodeAt(at) && isPlain(after.charCodeAt(at))) at += 1;
  // The next character could combine with the one before it.
  return at > 0 && isJoining(after.charCodeAt(at), before.charCodeAt(at)) ? at - 1 : at;
}

/** ASCII letters, lines, blocks, circles, and Braille dots. */
function isPlain(code: number): boolean {
  return (code >= 0x20 && code <= 0x7e) || (code >= 0x2500 && code <= 0x25fc) || (code >= 0x2800 && code <= 0x28ff);
}

function isJoining(...codes: readonly number[]): boolean {
  return codes.some((code) => code >= 0x300 && !isPlain(code));
}

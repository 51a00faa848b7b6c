/** Lays text out in rows: the visible ones, the cursor, and the positions above and below it. */

import { type CursorPosition, comparePositions } from './cursor-position.js';
import { fitCell, type Line, type Row } from './line.js';
import type { TextBuffer } from './text-buffer.js';

export type WidthOf = (text: string) => number;
export type View = { readonly rows: string[]; readonly cursor: { readonly row: number; readonly column: number } };
export type Selection = { readonly from: CursorPosition; readonly to: CursorPosition };

/** A row of the whole text. */
type RowPosition = { readonly line: number; readonly row: number };

const REVERSED = '\u001b[7m';
const PLAIN = '\u001b[27m';

export class Layout {
  readonly #buffer: TextBuffer;
  readonly #widthOf: WidthOf;
  /** Columns for text: one is left for the cursor after the last character. */
  #room = 79;
  /** The first visible row. It moves only when the cursor leaves the window. */
  #top: RowPosition = { line: 0, row: 0 };

  constructor(buffer: TextBuffer, widthOf: WidthOf) {
    this.#buffer = buffer;
    this.#widthOf = widthOf;
  }

  /** Processes no more lines than are visible, however long the text is. */
  view(width: number, maxRows: number, selection?: Selection): View {
    this.#room = Math.max(1, width - 1);
    const most = Math.max(1, maxRows);
    const position = this.#buffer.cursor;
    const cursorRow = { line: position.line, row: this.#rowOf(position) };
    this.#scroll(cursorRow, most);
    const rows: string[] = [];
    let cursor = { row: 0, column: 0 };
    for (let at: RowPosition | undefined = this.#top; at !== undefined && rows.length < most; at = this.#below(at)) {
      if (at.line === cursorRow.line && at.row === cursorRow.row) {
        cursor = { row: rows.length, column: Math.min(this.#columnOf(position), Math.max(0, width - 1)) };
      }
      rows.push(this.#draw(at, selection));
    }
    return { rows, cursor };
  }

  /** The position some rows above (negative) or below, nearest to the column. Undefined: there is no such row. */
  vertical(from: CursorPosition, step: number, column: number): CursorPosition | undefined {
    let at: RowPosition | undefined = { line: from.line, row: this.#rowOf(from) };
    for (let count = 0; count < Math.abs(step) && at !== undefined; count += 1) {
      at = step < 0 ? this.#above(at) : this.#below(at);
    }
    return at === undefined ? undefined : this.#placeIn(at, column);
  }

  columnOf(place: CursorPosition): number {
    return this.#columnOf(place);
  }

  #scroll(cursor: RowPosition, most: number): void {
    const lastLine = this.#buffer.lines.length - 1;
    const last = { line: lastLine, row: this.#rowsOf(lastLine).length - 1 };
    const line = Math.min(this.#top.line, lastLine);
    const row = Math.min(this.#top.row, this.#rowsOf(line).length - 1);
    const lowest = this.#up(last, most - 1);
    const nearest = this.#up(cursor, most - 1);
    let top: RowPosition = { line, row };
    if (compareRows(top, nearest) < 0) top = nearest;
    if (compareRows(top, lowest) > 0) top = lowest;
    if (compareRows(top, cursor) > 0) top = cursor;
    this.#top = top;
  }

  #up(from: RowPosition, count: number): RowPosition {
    let at = from;
    for (let left = count; left > 0; left -= 1) {
      const above = this.#above(at);
      if (above === undefined) break;
      at = above;
    }
    return at;
  }

  #above(at: RowPosition): RowPosition | undefined {
    if (at.row > 0) return { line: at.line, row: at.row - 1 };
    return at.line === 0 ? undefined : { line: at.line - 1, row: this.#rowsOf(at.line - 1).length - 1 };
  }

  #below(at: RowPosition): RowPosition | undefined {
    if (at.row + 1 < this.#rowsOf(at.line).length) return { line: at.line, row: at.row + 1 };
    return at.line + 1 < this.#buffer.lines.length ? { line: at.line + 1, row: 0 } : undefined;
  }

  #rowsOf(line: number): readonly Row[] {
    return this.#buffer.lineAt(line).rows(this.#room, this.#widthOf);
  }

  /** The row of its line that contains a position: between two rows, the second. */
  #rowOf(place: CursorPosition): number {
    const rows = this.#rowsOf(place.line);
    let row = rows.length - 1;
    while (row > 0 && (rows[row]?.from ?? 0) > place.cell) row -= 1;
    return row;
  }

  #columnOf(place: CursorPosition): number {
    const line = this.#buffer.lineAt(place.line);
    const row = this.#rowsOf(place.line)[this.#rowOf(place)];
    let column = 0;
    for (let cell = row?.from ?? 0; cell < place.cell; cell += 1) column += this.#fit(line, cell).width;
    return column;
  }

  #placeIn(at: RowPosition, column: number): CursorPosition {
    const line = this.#buffer.lineAt(at.line);
    const rows = this.#rowsOf(at.line);
    const { from, to } = rows[at.row] ?? { from: 0, to: 0 };
    // After the last cell of a row, the next row begins.
    const last = at.row === rows.length - 1 ? to : to - 1;
    let cell = from;
    for (let passed = 0; cell < last; cell += 1) {
      const { width } = this.#fit(line, cell);
      if (passed + width > column) break;
      passed += width;
    }
    return { line: at.line, cell };
  }

  #draw(at: RowPosition, selection: Selection | undefined): string {
    const line = this.#buffer.lineAt(at.line);
    const { from, to } = this.#rowsOf(at.line)[at.row] ?? { from: 0, to: 0 };
    let row = '';
    let wasSelected = false;
    for (let cell = from; cell < to; cell += 1) {
      const isSelected = selection !== undefined && isInside({ line: at.line, cell }, selection);
      if (isSelected !== wasSelected) row += isSelected ? REVERSED : PLAIN;
      wasSelected = isSelected;
      row += this.#fit(line, cell).text;
    }
    return wasSelected ? row + PLAIN : row;
  }

  #fit(line: Line, cell: number) {
    return fitCell(line.cells[cell] ?? '', this.#room, this.#widthOf);
  }
}

function isInside(place: CursorPosition, selection: Selection): boolean {
  return comparePositions(selection.from, place) <= 0 && comparePositions(place, selection.to) < 0;
}

function compareRows(one: RowPosition, other: RowPosition): number {
  return one.line - other.line || one.row - other.row;
}

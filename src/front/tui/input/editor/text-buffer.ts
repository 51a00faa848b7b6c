/** The text of the editor: lines and the cursor, changed in one way only, which can be undone. */

import { type Cell, type CellLines, joinCells } from './cells.js';
import { type CursorPosition, comparePositions } from './cursor-position.js';
import { Line } from './line.js';
import { type Change, type ChangeKind, UndoLog } from './undo-log.js';

/** A text with its cursor, at some point in time. */
export type Draft = { readonly lines: readonly Line[]; readonly cursor: CursorPosition };

const EMPTY = Line.ofText('');

export class TextBuffer {
  #lines: Line[] = [EMPTY];
  #cursor: CursorPosition = { line: 0, cell: 0 };
  readonly #log = new UndoLog();

  get lines(): readonly Line[] {
    return this.#lines;
  }

  get cursor(): CursorPosition {
    return this.#cursor;
  }

  get end(): CursorPosition {
    const line = this.#lines.length - 1;
    return { line, cell: this.lineAt(line).length };
  }

  get isEmpty(): boolean {
    return this.#lines.length === 1 && this.lineAt(0).isEmpty;
  }

  lineAt(line: number): Line {
    return this.#lines[line] ?? EMPTY;
  }

  cellAt(place: CursorPosition): Cell | undefined {
    return this.lineAt(place.line).cells[place.cell];
  }

  /** Returns true if the cursor moved. A position outside the text is moved inside. */
  moveTo(place: CursorPosition): boolean {
    const line = Math.min(Math.max(place.line, 0), this.#lines.length - 1);
    const cell = Math.min(Math.max(place.cell, 0), this.lineAt(line).length);
    if (line === this.#cursor.line && cell === this.#cursor.cell) return false;
    this.#cursor = { line, cell };
    this.#log.seal();
    return true;
  }

  /** The position one cell before; at the start of a line, the end of the previous one. Undefined: the beginning. */
  before(place: CursorPosition): CursorPosition | undefined {
    if (place.cell > 0) return { line: place.line, cell: place.cell - 1 };
    if (place.line === 0) return undefined;
    return { line: place.line - 1, cell: this.lineAt(place.line - 1).length };
  }

  after(place: CursorPosition): CursorPosition | undefined {
    if (place.cell < this.lineAt(place.line).length) return { line: place.line, cell: place.cell + 1 };
    return place.line + 1 < this.#lines.length ? { line: place.line + 1, cell: 0 } : undefined;
  }

  /** The cells between two positions. */
  between(one: CursorPosition, other: CursorPosition): CellLines {
    const [from, to] = inOrder(one, other);
    if (from.line === to.line) return [this.lineAt(from.line).cells.slice(from.cell, to.cell)];
    const whole = this.#lines.slice(from.line + 1, to.line).map((line) => line.cells);
    return [this.lineAt(from.line).cells.slice(from.cell), ...whole, this.lineAt(to.line).cells.slice(0, to.cell)];
  }

  /** Replaces the cells between two positions. The cursor goes after them. */
  replace(one: CursorPosition, other: CursorPosition, cells: CellLines, kind: ChangeKind = 'other'): void {
    const [from, to] = inOrder(one, other);
    const left = this.lineAt(from.line).cells.slice(0, from.cell);
    const right = this.lineAt(to.line).cells.slice(to.cell);
    const first = cells[0] ?? [];
    const last = cells.length > 1 ? (cells.at(-1) ?? []) : [];
    const line = from.line + Math.max(0, cells.length - 1);
    if (cells.length <= 1) {
      const joined = joinCells(left, first, right);
      this.#change(from.line, to.line, [Line.ofCells(joined.cells)], { line, cell: joined.after }, kind);
      return;
    }
    const tail = joinCells([], last, right);
    const middle = cells.slice(1, -1).map((one) => Line.ofCells(one));
    const head = Line.ofCells(joinCells(left, first, []).cells);
    this.#change(from.line, to.line, [head, ...middle, Line.ofCells(tail.cells)], { line, cell: tail.after }, kind);
  }

  /** Replaces the whole text, as one step of undo. */
  set(draft: Draft): void {
    this.#change(0, this.#lines.length - 1, draft.lines, draft.cursor, 'other');
  }

  save(): Draft {
    return { lines: [...this.#lines], cursor: this.#cursor };
  }

  seal(): void {
    this.#log.seal();
  }

  undo(): boolean {
    const change = this.#log.undo();
    if (change === undefined) return false;
    this.#put(change.line, change.after.length, change.before, change.cursorBefore);
    return true;
  }

  redo(): boolean {
    const change = this.#log.redo();
    if (change === undefined) return false;
    this.#put(change.line, change.before.length, change.after, change.cursorAfter);
    return true;
  }

  #change(from: number, to: number, after: readonly Line[], cursorAfter: CursorPosition, kind: ChangeKind): void {
    const before = this.#lines.slice(from, to + 1);
    const change: Change = { line: from, before, after, cursorBefore: this.#cursor, cursorAfter };
    this.#put(from, before.length, after, cursorAfter);
    this.#log.add(change, kind);
  }

  #put(from: number, count: number, lines: readonly Line[], cursor: CursorPosition): void {
    this.#lines = [...this.#lines.slice(0, from), ...lines, ...this.#lines.slice(from + count)];
    this.#cursor = cursor;
  }
}

function inOrder(one: CursorPosition, other: CursorPosition): readonly [CursorPosition, CursorPosition] {
  return comparePositions(one, other) <= 0 ? [one, other] : [other, one];
}

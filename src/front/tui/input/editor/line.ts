/** One line of the editor. Immutable: an edit makes a new one, so that lines can be stored for undo and wraps cached. */

import { type Cell, segment, shownText, wholeText } from './cells.js';

/** A row of a wrapped line: its cells from `from` up to, but not including, `to`. */
export type Row = { readonly from: number; readonly to: number };

type Wraps = { readonly room: number; readonly rows: readonly Row[] };

export class Line {
  readonly #text: string | undefined;
  #cells: readonly Cell[] | undefined;
  #wraps: Wraps | undefined;

  /** Text is split into cells only when the line is edited or shown. */
  private constructor(text: string | undefined, cells: readonly Cell[] | undefined) {
    this.#text = text;
    this.#cells = cells;
  }

  static ofText(text: string): Line {
    return new Line(text, undefined);
  }

  static ofCells(cells: readonly Cell[]): Line {
    return new Line(undefined, cells);
  }

  get cells(): readonly Cell[] {
    this.#cells ??= segment(this.#text ?? '');
    return this.#cells;
  }

  get length(): number {
    return this.#text === '' ? 0 : this.cells.length;
  }

  get isEmpty(): boolean {
    return this.#text === '' || this.#cells?.length === 0;
  }

  /** With chips expanded. */
  get text(): string {
    return this.#text ?? wholeText(this.cells);
  }

  get shown(): string {
    return this.#text ?? this.cells.map((cell) => (typeof cell === 'string' ? cell : cell.label)).join('');
  }

  get hasChips(): boolean {
    return this.#text === undefined && this.cells.some((cell) => typeof cell !== 'string');
  }

  /** Its rows in this many columns, at least one. Broken after spaces where there are some. */
  rows(room: number, widthOf: (text: string) => number): readonly Row[] {
    if (this.#wraps?.room !== room) this.#wraps = { room, rows: wrapCells(this.cells, room, widthOf) };
    return this.#wraps.rows;
  }
}

/** The visible form of a cell in this many columns, and its width. */
export function fitCell(
  cell: Cell,
  room: number,
  widthOf: (text: string) => number,
): { readonly text: string; readonly width: number } {
  const text = shownText(cell);
  const width = text.length === 1 && text <= '~' ? 1 : widthOf(text);
  if (width <= room) return { text, width };
  // Labels and escapes are ASCII; a wide character in a single column is only marked.
  return /^[ -~]+$/.test(text) ? { text: `${text.slice(0, room - 1)}…`, width: room } : { text: '…', width: 1 };
}

function wrapCells(cells: readonly Cell[], room: number, widthOf: (text: string) => number): readonly Row[] {
  const rows: Row[] = [];
  let from = 0;
  let breakAt = 0;
  let width = 0;
  let widthAtBreak = 0;
  for (let at = 0; at < cells.length; at += 1) {
    const cell = cells[at] ?? '';
    const own = fitCell(cell, room, widthOf).width;
    // Twice, if the part after the last space and the cell are too wide together.
    while (width + own > room) {
      const to = breakAt > from ? breakAt : at;
      rows.push({ from, to });
      width -= breakAt > from ? widthAtBreak : width;
      from = to;
    }
    width += own;
    if (cell === ' ' || cell === '\t') {
      breakAt = at + 1;
      widthAtBreak = width;
    }
  }
  rows.push({ from, to: cells.length });
  return rows;
}

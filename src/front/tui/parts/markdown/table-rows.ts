/** A table within a width: columns while there is room, with cells in several rows, else one cell per line. */

import { pad, widthOf } from '../../screen/width.js';
import { type Span, wrapSpans } from '../spans.js';
import type { Styles } from './inline-spans.js';

export type TableCells = {
  readonly header: readonly (readonly Span[])[];
  readonly rows: readonly (readonly (readonly Span[])[])[];
  readonly align: readonly ('left' | 'right' | 'center' | null)[];
};

const BETWEEN = ' │ ';
const LEAST_COLUMN = 6;

export function tableRows(table: TableCells, width: number, { theme }: Styles): string[] {
  const natural = table.header.map((_, column) => naturalWidth(table, column));
  const room = width - BETWEEN.length * (natural.length - 1);
  const widths = fitColumns(natural, room);
  if (widths === undefined) return stackedRows(table, width, { theme });
  const rule = theme.dim(widths.map((one) => '─'.repeat(one)).join('─┼─'));
  const bar = theme.dim(BETWEEN);
  const lines = (cells: readonly (readonly Span[])[]) => rowLines(cells, widths, table.align, bar);
  return [...lines(table.header.map((cell) => bold(cell, theme.bold))), rule, ...table.rows.flatMap(lines)];
}

function naturalWidth({ header, rows }: TableCells, column: number): number {
  let most = 1;
  for (const cells of [header, ...rows]) most = Math.max(most, cellWidth(cells[column] ?? []));
  return most;
}

function cellWidth(cell: readonly Span[]): number {
  const lines = cell
    .map(({ text }) => text)
    .join('')
    .split('\n');
  return Math.max(...lines.map(widthOf));
}

/** The widest columns shrink first. Undefined: a column would be too narrow to read. */
function fitColumns(natural: readonly number[], room: number): readonly number[] | undefined {
  if (natural.reduce((sum, one) => sum + one, 0) <= room) return natural;
  if (room < natural.length * LEAST_COLUMN) return undefined;
  let left = room;
  let share = Math.floor(room / natural.length);
  const fixed = new Set<number>();
  for (let isChanged = true; isChanged && fixed.size < natural.length; ) {
    isChanged = false;
    for (const [column, one] of natural.entries()) {
      if (fixed.has(column) || one > share) continue;
      fixed.add(column);
      left -= one;
      isChanged = true;
    }
    if (fixed.size < natural.length) share = Math.floor(left / (natural.length - fixed.size));
  }
  return natural.map((one, column) => (fixed.has(column) ? one : Math.max(1, share)));
}

function rowLines(
  cells: readonly (readonly Span[])[],
  widths: readonly number[],
  align: TableCells['align'],
  bar: string,
): string[] {
  const columns = widths.map((width, column) => wrapSpans(cells[column] ?? [], { width }));
  const height = Math.max(...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((lines, column) => {
        const text = lines[line] ?? '';
        const isLast = column === columns.length - 1;
        return aligned(text, widths[column] ?? 0, align[column] ?? 'left', isLast);
      })
      .join(bar)
      .trimEnd(),
  );
}

function aligned(text: string, width: number, align: 'left' | 'right' | 'center', isLast: boolean): string {
  const free = Math.max(0, width - widthOf(text));
  const before = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
  const shown = `${' '.repeat(before)}${text}`;
  return isLast ? shown : pad(shown, width);
}

/** Each row as lines of `header: cell`. */
function stackedRows({ header, rows }: TableCells, width: number, { theme }: Pick<Styles, 'theme'>): string[] {
  const rule = theme.dim('─'.repeat(Math.min(width, 8)));
  const shown = rows.map((cells) =>
    cells.flatMap((cell, column) => {
      const name = [...bold(header[column] ?? [], theme.bold), { text: ': ', style: theme.dim }];
      return wrapSpans([...name, ...cell], { width });
    }),
  );
  if (rows.length === 0) return header.flatMap((cell) => wrapSpans(bold(cell, theme.bold), { width }));
  return shown.flatMap((lines, index) => (index === 0 ? lines : [rule, ...lines]));
}

function bold(cell: readonly Span[], style: (text: string) => string): readonly Span[] {
  return cell.map(({ text, style: own }) => ({ text, style: own === undefined ? style : (one) => style(own(one)) }));
}

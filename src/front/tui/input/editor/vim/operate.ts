/** Applies vim operators to a range, and puts the register back. */

import type { CellLines } from '../cells.js';
import { type CursorPosition, comparePositions } from '../cursor-position.js';
import type { TextBuffer } from '../text-buffer.js';
import { firstOfLine } from './motions.js';
import type { Operator } from './parse-command.js';

/** The text deleted or copied last. */
export type Register = { readonly cells: CellLines; readonly isLines: boolean };

/** From `from` up to, but not including, `to`; or the lines of both and all between. */
export type Range = { readonly from: CursorPosition; readonly to: CursorPosition; readonly isLines: boolean };

export function rangeOf(one: CursorPosition, other: CursorPosition, reach: 'exclusive' | 'inclusive' | 'lines'): Range {
  const [from, to] = comparePositions(one, other) <= 0 ? [one, other] : [other, one];
  const end = reach === 'inclusive' ? { line: to.line, cell: to.cell + 1 } : to;
  return { from, to: end, isLines: reach === 'lines' };
}

/** Returns the content for the register. The cursor goes to the start of the text, or where typing continues. */
export function operate(buffer: TextBuffer, operator: Operator, range: Range): Register {
  const { isLines } = range;
  const from = isLines ? { line: range.from.line, cell: 0 } : range.from;
  const to = isLines ? { line: range.to.line, cell: buffer.lineAt(range.to.line).length } : range.to;
  const register = { cells: buffer.between(from, to), isLines };
  if (operator === 'y') buffer.moveTo(isLines ? { line: from.line, cell: buffer.cursor.cell } : from);
  else if (operator === 'c' || !isLines) buffer.replace(from, to, [[]]);
  else deleteLines(buffer, from.line, to.line);
  return register;
}

export function put(buffer: TextBuffer, { cells, isLines }: Register, side: 'before' | 'behind', count: number): void {
  const { line, cell } = buffer.cursor;
  if (isLines) {
    const lines = Array.from({ length: count }, () => cells).flat();
    const at = side === 'behind' ? { line, cell: buffer.lineAt(line).length } : { line, cell: 0 };
    buffer.replace(at, at, side === 'behind' ? [[], ...lines] : [...lines, []]);
    buffer.moveTo(firstOfLine(buffer, side === 'behind' ? line + 1 : line));
    return;
  }
  const isBehind = side === 'behind' && cell < buffer.lineAt(line).length;
  buffer.moveTo({ line, cell: isBehind ? cell + 1 : cell });
  for (let left = count; left > 0; left -= 1) buffer.replace(buffer.cursor, buffer.cursor, cells);
  buffer.moveTo({ line: buffer.cursor.line, cell: buffer.cursor.cell - 1 });
}

function deleteLines(buffer: TextBuffer, from: number, to: number): void {
  const last = buffer.lines.length - 1;
  const end = { line: to, cell: buffer.lineAt(to).length };
  if (to < last) buffer.replace({ line: from, cell: 0 }, { line: to + 1, cell: 0 }, [[]]);
  else if (from > 0) buffer.replace({ line: from - 1, cell: buffer.lineAt(from - 1).length }, end, [[]]);
  else buffer.replace({ line: 0, cell: 0 }, end, [[]]);
  buffer.moveTo(firstOfLine(buffer, Math.min(from, buffer.lines.length - 1)));
}

/** Vim commands of one key that change text. */

import type { Editor } from '../editor.js';
import { firstOfLine } from './motions.js';
import { operate, put, type Register, rangeOf } from './operate.js';
import type { Operator } from './parse-command.js';

export type SimpleResult = { readonly register?: Register; readonly inserts?: boolean };

/** Undefined: not one of them. */
export function performSimple(
  editor: Editor,
  key: string,
  count: number,
  register: Register | undefined,
): SimpleResult | undefined {
  const { buffer } = editor;
  const { line, cell } = buffer.cursor;
  const { length } = buffer.lineAt(line);
  const lineEnd = { line, cell: length };
  const over = (operator: Operator, from: number, to: number): SimpleResult => {
    const range = rangeOf({ line, cell: from }, { line, cell: to }, 'exclusive');
    return {
      register: from === to ? (register ?? { cells: [[]], isLines: false }) : operate(buffer, operator, range),
      inserts: operator === 'c',
    };
  };
  const lines = (operator: Operator): SimpleResult => {
    const last = Math.min(line + count, buffer.lines.length) - 1;
    return {
      register: operate(buffer, operator, rangeOf(buffer.cursor, { line: last, cell: 0 }, 'lines')),
      inserts: operator === 'c',
    };
  };
  switch (key) {
    case 'x':
      return over('d', cell, Math.min(length, cell + count));
    case 'X':
      return over('d', Math.max(0, cell - count), cell);
    case 's':
      return over('c', cell, Math.min(length, cell + count));
    case 'D':
      return over('d', cell, length);
    case 'C':
      return over('c', cell, length);
    case 'S':
      return lines('c');
    case 'Y':
      return lines('y');
    case 'p':
    case 'P':
      if (register !== undefined) put(buffer, register, key === 'p' ? 'behind' : 'before', count);
      return {};
    case 'i':
      return { inserts: true };
    case 'a':
      buffer.moveTo({ line, cell: cell + 1 });
      return { inserts: true };
    case 'I':
      buffer.moveTo(firstOfLine(buffer, line));
      return { inserts: true };
    case 'A':
      buffer.moveTo(lineEnd);
      return { inserts: true };
    case 'o':
      buffer.replace(lineEnd, lineEnd, [[], []]);
      return { inserts: true };
    case 'O':
      buffer.replace({ line, cell: 0 }, { line, cell: 0 }, [[], []]);
      buffer.moveTo({ line, cell: 0 });
      return { inserts: true };
    case 'J':
      joinLines(editor, Math.max(1, count - 1));
      return {};
    case '~':
      changeCase(editor, Math.min(count, length - cell));
      return {};
    default:
      return undefined;
  }
}

export function replaceCells(editor: Editor, char: string, count: number): void {
  const { buffer } = editor;
  const { line, cell } = buffer.cursor;
  if (cell + count > buffer.lineAt(line).length) return;
  const text = char === 'space' ? ' ' : char;
  buffer.replace({ line, cell }, { line, cell: cell + count }, [Array.from({ length: count }, () => text)]);
  buffer.moveTo({ line, cell: cell + count - 1 });
}

function joinLines({ buffer }: Editor, times: number): void {
  for (let left = times; left > 0; left -= 1) {
    const { line } = buffer.cursor;
    if (line + 1 >= buffer.lines.length) return;
    const end = { line, cell: buffer.lineAt(line).length };
    buffer.replace(end, firstOfLine(buffer, line + 1), [end.cell === 0 ? [] : [' ']]);
    buffer.moveTo(end);
  }
}

function changeCase({ buffer }: Editor, count: number): void {
  if (count <= 0) return;
  const { line, cell } = buffer.cursor;
  const end = { line, cell: cell + count };
  const [cells = []] = buffer.between({ line, cell }, end);
  const turned = cells.map((one) =>
    typeof one !== 'string' ? one : one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase(),
  );
  buffer.replace({ line, cell }, end, [turned]);
}

/** Finds the targets of vim motions. */

import type { Cell } from '../cells.js';
import type { CursorPosition } from '../cursor-position.js';
import type { TextBuffer } from '../text-buffer.js';
import { classOf } from '../words.js';
import type { Motion } from './parse-command.js';

/** The range of an operator: up to the position, including it, or whole lines. `from`: a start other than the cursor. */
export type Target = {
  readonly from?: CursorPosition;
  readonly to: CursorPosition;
  readonly reach: 'exclusive' | 'inclusive' | 'lines';
};

export type Find = Extract<Motion, { readonly kind: 'find' }>;

/** Undefined: there is no target. `last`: the find that `;` and `,` repeat. */
export function findTarget(
  buffer: TextBuffer,
  motion: Motion,
  count: number | undefined,
  last: Find | undefined,
): Target | undefined {
  if (motion.kind === 'find') return findChar(buffer, motion, count ?? 1);
  if (motion.kind === 'word') return wordAround(buffer, motion.key);
  const { line, cell } = buffer.cursor;
  const times = count ?? 1;
  const { length } = buffer.lineAt(line);
  switch (motion.key) {
    case 'h':
      return cell === 0 ? undefined : { to: { line, cell: Math.max(0, cell - times) }, reach: 'exclusive' };
    case 'l':
      return cell >= length ? undefined : { to: { line, cell: Math.min(length, cell + times) }, reach: 'exclusive' };
    case 'j':
    case 'k': {
      const to = line + (motion.key === 'j' ? times : -times);
      return buffer.lines[to] === undefined ? undefined : { to: { line: to, cell }, reach: 'lines' };
    }
    case '0':
      return { to: { line, cell: 0 }, reach: 'exclusive' };
    case '^':
      return { to: firstOfLine(buffer, line), reach: 'exclusive' };
    case '$': {
      const at = Math.min(line + times - 1, buffer.lines.length - 1);
      return { to: { line: at, cell: buffer.lineAt(at).length }, reach: 'exclusive' };
    }
    case 'gg':
      return { to: firstOfLine(buffer, Math.min(times, buffer.lines.length) - 1), reach: 'lines' };
    case 'G':
      return { to: firstOfLine(buffer, Math.min(count ?? Infinity, buffer.lines.length) - 1), reach: 'lines' };
    case ';':
    case ',':
      return last === undefined ? undefined : findChar(buffer, motion.key === ';' ? last : reversedFind(last), times);
    default:
      return moveWords(buffer, motion.key, times);
  }
}

export function firstOfLine(buffer: TextBuffer, line: number): CursorPosition {
  const cell = buffer.lineAt(line).cells.findIndex((one) => classOf(one) !== 'space');
  return { line, cell: Math.max(0, cell) };
}

function findChar(buffer: TextBuffer, { key, char }: Find, count: number): Target | undefined {
  const { line, cell } = buffer.cursor;
  const { cells } = buffer.lineAt(line);
  const isForward = key === 'f' || key === 't';
  const wanted = char === 'space' ? ' ' : char;
  let at = cell;
  for (let left = count; left > 0; left -= 1) {
    at = isForward ? cells.indexOf(wanted, at + 1) : at === 0 ? -1 : cells.lastIndexOf(wanted, at - 1);
    if (at < 0) return undefined;
  }
  const stop = key === 't' ? at - 1 : key === 'T' ? at + 1 : at;
  return { to: { line, cell: stop }, reach: isForward ? 'inclusive' : 'exclusive' };
}

function reversedFind(find: Find): Find {
  const turned = { f: 'F', F: 'f', t: 'T', T: 't' } as const;
  return { ...find, key: turned[find.key] };
}

/** `w b e`, and `W B E`, where only spaces separate words. */
function moveWords(buffer: TextBuffer, key: string, times: number): Target {
  const isBig = key !== key.toLowerCase();
  const kindOf = (cell: Cell | undefined) => (isBig && classOf(cell) === 'sign' ? 'word' : classOf(cell));
  let place = buffer.cursor;
  for (let left = times; left > 0; left -= 1) {
    const step = key.toLowerCase() === 'w' ? nextWord : key.toLowerCase() === 'b' ? wordBefore : endOfWord;
    place = step(buffer, place, kindOf);
  }
  return { to: place, reach: key.toLowerCase() === 'e' ? 'inclusive' : 'exclusive' };
}

type KindOf = (cell: Cell | undefined) => string;

function nextWord(buffer: TextBuffer, from: CursorPosition, kindOf: KindOf): CursorPosition {
  const kind = kindOf(buffer.cellAt(from));
  let place: CursorPosition = from;
  while (kind !== 'space' && buffer.cellAt(place) !== undefined && kindOf(buffer.cellAt(place)) === kind) {
    place = { line: place.line, cell: place.cell + 1 };
  }
  for (;;) {
    if (kindOf(buffer.cellAt(place)) !== 'space') return place;
    const next = buffer.after(place);
    if (next === undefined) return place;
    place = next;
    // An empty line is a word.
    if (buffer.lineAt(place.line).isEmpty) return place;
  }
}

function wordBefore(buffer: TextBuffer, from: CursorPosition, kindOf: KindOf): CursorPosition {
  let place = buffer.before(from) ?? from;
  while (kindOf(buffer.cellAt(place)) === 'space' && !buffer.lineAt(place.line).isEmpty) {
    const before = buffer.before(place);
    if (before === undefined) return place;
    place = before;
  }
  const kind = kindOf(buffer.cellAt(place));
  while (place.cell > 0 && kindOf(buffer.cellAt({ line: place.line, cell: place.cell - 1 })) === kind) {
    place = { line: place.line, cell: place.cell - 1 };
  }
  return place;
}

function endOfWord(buffer: TextBuffer, from: CursorPosition, kindOf: KindOf): CursorPosition {
  let place = buffer.after(from) ?? from;
  while (kindOf(buffer.cellAt(place)) === 'space') {
    const next = buffer.after(place);
    if (next === undefined) return place;
    place = next;
  }
  const kind = kindOf(buffer.cellAt(place));
  while (kindOf(buffer.cellAt({ line: place.line, cell: place.cell + 1 })) === kind) {
    place = { line: place.line, cell: place.cell + 1 };
  }
  return place;
}

function wordAround(buffer: TextBuffer, key: 'i' | 'a'): Target | undefined {
  const { line, cell } = buffer.cursor;
  const { cells } = buffer.lineAt(line);
  if (cells.length === 0) return undefined;
  const kind = classOf(cells[cell]);
  let from = cell;
  let to = cell;
  while (from > 0 && classOf(cells[from - 1]) === kind) from -= 1;
  while (to < cells.length && classOf(cells[to]) === kind) to += 1;
  if (key === 'a') while (to < cells.length && classOf(cells[to]) === 'space') to += 1;
  return { from: { line, cell: from }, to: { line, cell: to }, reach: 'exclusive' };
}

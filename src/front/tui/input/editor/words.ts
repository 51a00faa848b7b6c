/** Finds the boundaries of words. A chip is a word. */

import type { Cell } from './cells.js';
import type { CursorPosition } from './cursor-position.js';
import type { TextBuffer } from './text-buffer.js';

/** Spaces, word characters, and the rest. */
export type CellClass = 'space' | 'word' | 'sign';

export function classOf(cell: Cell | undefined): CellClass {
  if (cell === undefined) return 'space';
  if (typeof cell !== 'string') return 'word';
  if (/^\s/u.test(cell)) return 'space';
  return /^[\p{L}\p{M}\p{N}_]/u.test(cell) ? 'word' : 'sign';
}

/** The end of the word at or after a position, as in readline: skips everything that is no word. */
export function wordEnd(buffer: TextBuffer, from: CursorPosition): CursorPosition {
  return skip(
    buffer,
    skip(buffer, from, 1, (cell) => classOf(cell) !== 'word'),
    1,
    (cell) => classOf(cell) === 'word',
  );
}

export function wordStart(buffer: TextBuffer, from: CursorPosition): CursorPosition {
  const end = skip(buffer, from, -1, (cell) => classOf(cell) !== 'word');
  return skip(buffer, end, -1, (cell) => classOf(cell) === 'word');
}

/** The position after the previous space: the start of what Ctrl+W cuts. */
export function spaceStart(buffer: TextBuffer, from: CursorPosition): CursorPosition {
  const end = skip(buffer, from, -1, (cell) => classOf(cell) === 'space');
  return skip(buffer, end, -1, (cell) => classOf(cell) !== 'space');
}

/** Moves while the cell it passes is of the given class. The end of a line is a space. */
function skip(
  buffer: TextBuffer,
  from: CursorPosition,
  step: 1 | -1,
  over: (cell: Cell | undefined) => boolean,
): CursorPosition {
  let place = from;
  for (;;) {
    const next = step === 1 ? buffer.after(place) : buffer.before(place);
    if (next === undefined) return place;
    const isLineEnd = next.line !== place.line;
    const cell = isLineEnd ? undefined : buffer.cellAt(step === 1 ? place : next);
    if (!over(cell)) return place;
    place = next;
  }
}

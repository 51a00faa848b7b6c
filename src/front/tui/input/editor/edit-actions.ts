/** The editing actions of keys. */

import type { Cell } from './cells.js';
import { type CursorPosition, isSamePosition } from './cursor-position.js';
import type { KillRing } from './kill-ring.js';
import type { Layout } from './layout.js';
import type { TextBuffer } from './text-buffer.js';
import { classOf, spaceStart, wordEnd, wordStart } from './words.js';

/** The state of an action. `column`: the column that ↑ and ↓ aim for, remembered across short lines. */
export type EditState = {
  readonly buffer: TextBuffer;
  readonly layout: Layout;
  readonly kills: KillRing;
  /** Number of rows visible last. */
  readonly page: number;
  column: number | undefined;
  /** The text that the last action yanked from the kill ring. */
  yanked: { readonly from: CursorPosition; readonly to: CursorPosition } | undefined;
};

/** Returns true if something moved or changed. */
type Act = (state: EditState) => boolean;

const lineStart = ({ buffer }: EditState): CursorPosition => ({ line: buffer.cursor.line, cell: 0 });
const lineEnd = ({ buffer }: EditState): CursorPosition => ({
  line: buffer.cursor.line,
  cell: buffer.lineAt(buffer.cursor.line).length,
});

export const ACTS = {
  left: move(({ buffer }) => buffer.before(buffer.cursor)),
  right: move(({ buffer }) => buffer.after(buffer.cursor)),
  wordLeft: move(({ buffer }) => wordStart(buffer, buffer.cursor)),
  wordRight: move(({ buffer }) => wordEnd(buffer, buffer.cursor)),
  lineStart: move(lineStart),
  lineEnd: move(lineEnd),
  textStart: move(() => ({ line: 0, cell: 0 })),
  textEnd: move(({ buffer }) => buffer.end),
  up: (state) => moveRows(state, -1),
  down: (state) => moveRows(state, 1),
  pageUp: (state) => moveRows(state, -state.page) || state.buffer.moveTo({ line: 0, cell: 0 }),
  pageDown: (state) => moveRows(state, state.page) || state.buffer.moveTo(state.buffer.end),
  newline: ({ buffer }) => {
    buffer.seal();
    buffer.replace(buffer.cursor, buffer.cursor, [[], []], 'type');
    return true;
  },
  deleteLeft: erase(({ buffer }) => buffer.before(buffer.cursor)),
  deleteRight: erase(({ buffer }) => buffer.after(buffer.cursor)),
  killSpaceLeft: kill(({ buffer }) => spaceStart(buffer, buffer.cursor)),
  killWordLeft: kill(({ buffer }) => wordStart(buffer, buffer.cursor)),
  killWordRight: kill(({ buffer }) => wordEnd(buffer, buffer.cursor)),
  /** At the end of a line it cuts the line break. */
  killToLineEnd: kill((state) =>
    isSamePosition(state.buffer.cursor, lineEnd(state)) ? state.buffer.after(state.buffer.cursor) : lineEnd(state),
  ),
  killToLineStart: kill((state) =>
    isSamePosition(state.buffer.cursor, lineStart(state)) ? state.buffer.before(state.buffer.cursor) : lineStart(state),
  ),
  yank: (state) => {
    const cells = state.kills.last;
    if (cells === undefined) return false;
    const from = state.buffer.cursor;
    state.buffer.replace(from, from, cells);
    state.yanked = { from, to: state.buffer.cursor };
    return true;
  },
  /** Only directly after a yank: replaces it by an earlier cut. */
  yankPop: (state) => {
    const cells = state.yanked === undefined ? undefined : state.kills.turn();
    if (cells === undefined || state.yanked === undefined) return false;
    const { from, to } = state.yanked;
    state.buffer.replace(from, to, cells);
    state.yanked = { from, to: state.buffer.cursor };
    return true;
  },
  transpose: ({ buffer }) => {
    const { line, cell } = buffer.cursor;
    const length = buffer.lineAt(line).length;
    const at = Math.min(cell, length - 1);
    const [left, right] = buffer.lineAt(line).cells.slice(at - 1, at + 1);
    if (at < 1 || left === undefined || right === undefined) return false;
    buffer.replace({ line, cell: at - 1 }, { line, cell: at + 1 }, [[right, left]]);
    return true;
  },
  upperWord: changeWord((text) => text.toUpperCase()),
  lowerWord: changeWord((text) => text.toLowerCase()),
  capitalWord: changeWord((text, isFirst) => (isFirst ? text.toUpperCase() : text.toLowerCase())),
  undo: ({ buffer }) => buffer.undo(),
  redo: ({ buffer }) => buffer.redo(),
} as const satisfies Record<string, Act>;

export type EditAction = keyof typeof ACTS;

const VERTICAL: readonly EditAction[] = ['up', 'down', 'pageUp', 'pageDown'];
const KILLS: readonly EditAction[] = [
  'killSpaceLeft',
  'killWordLeft',
  'killWordRight',
  'killToLineEnd',
  'killToLineStart',
];

/** Performs an action, and resets state that only applies between two actions of the same kind. */
export function performEdit(state: EditState, action: EditAction): boolean {
  if (!VERTICAL.includes(action)) state.column = undefined;
  if (!KILLS.includes(action)) state.kills.close();
  if (action !== 'yankPop') state.yanked = undefined;
  return ACTS[action](state);
}

function move(find: (state: EditState) => CursorPosition | undefined): Act {
  return (state) => {
    const place = find(state);
    return place !== undefined && state.buffer.moveTo(place);
  };
}

function moveRows(state: EditState, step: number): boolean {
  const { buffer, layout } = state;
  state.column ??= layout.columnOf(buffer.cursor);
  const place = layout.vertical(buffer.cursor, step, state.column);
  return place !== undefined && buffer.moveTo(place);
}

function erase(find: (state: EditState) => CursorPosition | undefined): Act {
  return (state) => {
    const { buffer } = state;
    const place = find(state);
    if (place === undefined) return false;
    buffer.replace(buffer.cursor, place, [[]], 'erase');
    return true;
  };
}

function kill(find: (state: EditState) => CursorPosition | undefined): Act {
  return (state) => {
    const { buffer } = state;
    const cursor = buffer.cursor;
    const place = find(state);
    if (place === undefined || isSamePosition(place, cursor)) return false;
    const isBefore = place.line < cursor.line || (place.line === cursor.line && place.cell < cursor.cell);
    state.kills.add(buffer.between(cursor, place), isBefore ? 'before' : 'behind');
    buffer.replace(cursor, place, [[]]);
    return true;
  };
}

function changeWord(change: (text: string, isFirst: boolean) => string): Act {
  return ({ buffer }) => {
    const from = buffer.cursor;
    const to = wordEnd(buffer, from);
    if (isSamePosition(from, to)) return false;
    let isFirst = true;
    const changeCell = (cell: Cell): Cell => {
      if (typeof cell !== 'string' || classOf(cell) !== 'word') return cell;
      const changed = change(cell, isFirst);
      isFirst = false;
      return changed;
    };
    const cells = buffer.between(from, to).map((line) => line.map(changeCell));
    buffer.replace(from, to, cells);
    return true;
  };
}

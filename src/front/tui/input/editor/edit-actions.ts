/** What a key may do to the text. */

import type { Cell } from './cells.js';
import type { KillRing } from './kill-ring.js';
import type { Layout } from './layout.js';
import { isSamePlace, type Place } from './place.js';
import type { TextBuffer } from './text-buffer.js';
import { classOf, spaceStart, wordEnd, wordStart } from './words.js';

/** What an action works on. `column`: where ↑ and ↓ want to be, kept over short lines. */
export type Desk = {
  readonly buffer: TextBuffer;
  readonly layout: Layout;
  readonly kills: KillRing;
  /** How many rows were seen last. */
  readonly page: number;
  column: number | undefined;
  /** What the last action put in from the kill ring. */
  yanked: { readonly from: Place; readonly to: Place } | undefined;
};

/** Returns whether something moved or changed. */
type Act = (desk: Desk) => boolean;

const lineStart = ({ buffer }: Desk): Place => ({ line: buffer.caret.line, cell: 0 });
const lineEnd = ({ buffer }: Desk): Place => ({
  line: buffer.caret.line,
  cell: buffer.lineAt(buffer.caret.line).length,
});

export const ACTS = {
  left: move(({ buffer }) => buffer.before(buffer.caret)),
  right: move(({ buffer }) => buffer.after(buffer.caret)),
  wordLeft: move(({ buffer }) => wordStart(buffer, buffer.caret)),
  wordRight: move(({ buffer }) => wordEnd(buffer, buffer.caret)),
  lineStart: move(lineStart),
  lineEnd: move(lineEnd),
  textStart: move(() => ({ line: 0, cell: 0 })),
  textEnd: move(({ buffer }) => buffer.end),
  up: (desk) => moveRows(desk, -1),
  down: (desk) => moveRows(desk, 1),
  pageUp: (desk) => moveRows(desk, -desk.page) || desk.buffer.moveTo({ line: 0, cell: 0 }),
  pageDown: (desk) => moveRows(desk, desk.page) || desk.buffer.moveTo(desk.buffer.end),
  newline: ({ buffer }) => {
    buffer.seal();
    buffer.replace(buffer.caret, buffer.caret, [[], []], 'type');
    return true;
  },
  deleteLeft: erase(({ buffer }) => buffer.before(buffer.caret)),
  deleteRight: erase(({ buffer }) => buffer.after(buffer.caret)),
  killSpaceLeft: kill(({ buffer }) => spaceStart(buffer, buffer.caret)),
  killWordLeft: kill(({ buffer }) => wordStart(buffer, buffer.caret)),
  killWordRight: kill(({ buffer }) => wordEnd(buffer, buffer.caret)),
  /** At the end of a line it takes the line break. */
  killToLineEnd: kill((desk) =>
    isSamePlace(desk.buffer.caret, lineEnd(desk)) ? desk.buffer.after(desk.buffer.caret) : lineEnd(desk),
  ),
  killToLineStart: kill((desk) =>
    isSamePlace(desk.buffer.caret, lineStart(desk)) ? desk.buffer.before(desk.buffer.caret) : lineStart(desk),
  ),
  yank: (desk) => {
    const cells = desk.kills.last;
    if (cells === undefined) return false;
    const from = desk.buffer.caret;
    desk.buffer.replace(from, from, cells);
    desk.yanked = { from, to: desk.buffer.caret };
    return true;
  },
  /** Only directly after a yank: what was cut earlier comes in its place. */
  yankPop: (desk) => {
    const cells = desk.yanked === undefined ? undefined : desk.kills.turn();
    if (cells === undefined || desk.yanked === undefined) return false;
    const { from, to } = desk.yanked;
    desk.buffer.replace(from, to, cells);
    desk.yanked = { from, to: desk.buffer.caret };
    return true;
  },
  transpose: ({ buffer }) => {
    const { line, cell } = buffer.caret;
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

/** Does it, and forgets what only holds between two actions of the same kind. */
export function performEdit(desk: Desk, action: EditAction): boolean {
  if (!VERTICAL.includes(action)) desk.column = undefined;
  if (!KILLS.includes(action)) desk.kills.close();
  if (action !== 'yankPop') desk.yanked = undefined;
  return ACTS[action](desk);
}

function move(find: (desk: Desk) => Place | undefined): Act {
  return (desk) => {
    const place = find(desk);
    return place !== undefined && desk.buffer.moveTo(place);
  };
}

function moveRows(desk: Desk, step: number): boolean {
  const { buffer, layout } = desk;
  desk.column ??= layout.columnOf(buffer.caret);
  const place = layout.vertical(buffer.caret, step, desk.column);
  return place !== undefined && buffer.moveTo(place);
}

function erase(find: (desk: Desk) => Place | undefined): Act {
  return (desk) => {
    const { buffer } = desk;
    const place = find(desk);
    if (place === undefined) return false;
    buffer.replace(buffer.caret, place, [[]], 'erase');
    return true;
  };
}

function kill(find: (desk: Desk) => Place | undefined): Act {
  return (desk) => {
    const { buffer } = desk;
    const caret = buffer.caret;
    const place = find(desk);
    if (place === undefined || isSamePlace(place, caret)) return false;
    const isBefore = place.line < caret.line || (place.line === caret.line && place.cell < caret.cell);
    desk.kills.add(buffer.between(caret, place), isBefore ? 'before' : 'behind');
    buffer.replace(caret, place, [[]]);
    return true;
  };
}

function changeWord(change: (text: string, isFirst: boolean) => string): Act {
  return ({ buffer }) => {
    const from = buffer.caret;
    const to = wordEnd(buffer, from);
    if (isSamePlace(from, to)) return false;
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

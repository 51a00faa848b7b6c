/** Composes the live area: the reply being written, progress, agents, a question, the editor, the status line (TU-1). */

import type { Frame, Size } from '../screen/frame.js';

/** Each returns its rows within a width and a number of rows, possibly none. */
export type LiveParts = {
  /** The part of the current reply that is not in the history yet. */
  tail(width: number, most: number): readonly string[];
  working(width: number): readonly string[];
  queue(width: number, most: number): readonly string[];
  tree(width: number, most: number): readonly string[];
  question(width: number, most: number): Frame;
  editor(width: number, most: number): Frame;
  /** Below the editor: completions. */
  menu(width: number, most: number): readonly string[];
  status(width: number): readonly string[];
};

const MOST_QUEUED = 5;
const MOST_EDITED = 12;
/**
 * When a window suddenly gets lower, rows at the top of the live area are pushed into the scrollback, where they can't be
 * removed: text there would appear twice. A few rows, in less than half of the window, are seldom affected.
 */
const MOST_TAIL = 6;
const LEAST_TAIL = 2;

export function liveFrame(parts: LiveParts, { columns, rows }: Size): Frame {
  const width = Math.max(1, columns - 1);
  const third = Math.max(1, Math.floor(rows / 3));
  let left = Math.max(1, rows - 1);
  const take = <R extends readonly string[]>(made: R): readonly string[] => {
    const shown = made.length > left ? made.slice(made.length - left) : made;
    left -= shown.length;
    return shown;
  };
  // With little room, input and questions come first.
  const editor = parts.editor(width, Math.max(1, Math.min(MOST_EDITED, third, left)));
  left -= editor.rows.length;
  const status = take(parts.status(width));
  const question = left > 0 ? parts.question(width, left) : { rows: [] };
  left -= question.rows.length;
  const menu = left > 0 ? take(parts.menu(width, Math.min(third, left))) : [];
  const working = left > 0 ? take(parts.working(width)) : [];
  const tree = left > 0 ? take(parts.tree(width, Math.min(left, third))) : [];
  const queue = left > 0 ? take(parts.queue(width, Math.min(left, MOST_QUEUED))) : [];
  const room = Math.max(LEAST_TAIL, Math.floor(rows / 2) - 1 - (rows - 1 - left));
  const tail = left > 0 ? take(parts.tail(width, Math.min(left, room, MOST_TAIL))) : [];
  const above = [...tail, ...working, ...queue, ...tree];
  return {
    rows: [...above, ...question.rows, ...editor.rows, ...menu, ...status],
    cursor: cursorOf(question, above.length) ?? cursorOf(editor, above.length + question.rows.length),
  };
}

function cursorOf({ cursor }: Frame, above: number): Frame['cursor'] {
  return cursor === undefined ? undefined : { row: above + cursor.row, column: cursor.column };
}

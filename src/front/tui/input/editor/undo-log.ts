/** Changes, for undo and redo. Lines are stored by reference: a step costs what it changed. */

import type { CursorPosition } from './cursor-position.js';
import type { Line } from './line.js';

/** `type` and `erase` join with the previous step of the same kind, until something else happens. */
export type ChangeKind = 'type' | 'erase' | 'other';

export type Change = {
  /** The first replaced line. */
  readonly line: number;
  readonly before: readonly Line[];
  readonly after: readonly Line[];
  readonly cursorBefore: CursorPosition;
  readonly cursorAfter: CursorPosition;
};

const MOST_STEPS = 2000;

export class UndoLog {
  readonly #done: Change[] = [];
  #undone: Change[] = [];
  /** The kind that the next change may join. */
  #open: ChangeKind = 'other';

  add(change: Change, kind: ChangeKind): void {
    this.#undone = [];
    const last = this.#done.at(-1);
    const joined = kind !== 'other' && kind === this.#open && last !== undefined ? join(last, change) : undefined;
    if (joined !== undefined) this.#done.pop();
    this.#done.push(joined ?? change);
    if (this.#done.length > MOST_STEPS) this.#done.shift();
    this.#open = kind;
  }

  /** The next change is a step of its own. */
  seal(): void {
    this.#open = 'other';
  }

  /** Returns the change to undo. */
  undo(): Change | undefined {
    const change = this.#done.pop();
    if (change !== undefined) this.#undone.push(change);
    this.seal();
    return change;
  }

  redo(): Change | undefined {
    const change = this.#undone.pop();
    if (change !== undefined) this.#done.push(change);
    this.seal();
    return change;
  }
}

/** Merges two changes. Undefined: the second changed something outside the result of the first. */
function join(first: Change, second: Change): Change | undefined {
  const at = second.line - first.line;
  if (at < 0 || at + second.before.length > first.after.length) return undefined;
  return {
    ...first,
    after: [...first.after.slice(0, at), ...second.after, ...first.after.slice(at + second.before.length)],
    cursorAfter: second.cursorAfter,
  };
}

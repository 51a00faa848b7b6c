/** What was changed, so that it can be taken back and done again. Lines are kept by reference: a step costs what it changed. */

import type { CursorPosition } from './cursor-position.js';
import type { Line } from './line.js';

/** `type` and `erase` join with the step before of their own kind, until something else happens. */
export type ChangeKind = 'type' | 'erase' | 'other';

export type Change = {
  /** The first line that it replaced. */
  readonly line: number;
  readonly before: readonly Line[];
  readonly after: readonly Line[];
  readonly caretBefore: CursorPosition;
  readonly caretAfter: CursorPosition;
};

const MOST_STEPS = 2000;

export class UndoLog {
  readonly #done: Change[] = [];
  #undone: Change[] = [];
  /** The kind that the next change may join, if it is the same. */
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

  /** What comes next is a step of its own. */
  seal(): void {
    this.#open = 'other';
  }

  /** The change to take back. */
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

/** Both as one. Undefined: the second changed something beside what the first left. */
function join(first: Change, second: Change): Change | undefined {
  const at = second.line - first.line;
  if (at < 0 || at + second.before.length > first.after.length) return undefined;
  return {
    ...first,
    after: [...first.after.slice(0, at), ...second.after, ...first.after.slice(at + second.before.length)],
    caretAfter: second.caretAfter,
  };
}

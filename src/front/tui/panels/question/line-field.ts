/** A line that is written under a question: a reason, own words, a field of a form. */

import type { KeyEvent } from '../../input/key-event.js';

const segmenter = new Intl.Segmenter();

export class LineField {
  #before: readonly string[];
  #after: readonly string[] = [];

  constructor(text = '') {
    this.#before = characters(text);
  }

  get text(): string {
    return `${this.before}${this.after}`;
  }

  get before(): string {
    return this.#before.join('');
  }

  get after(): string {
    return this.#after.join('');
  }

  /** False: the press means nothing here. */
  press(event: KeyEvent): boolean {
    if (event.kind === 'paste') return this.#insert(event.text);
    if (event.kind !== 'key') return false;
    const move = MOVES[event.name];
    if (move !== undefined) {
      const all = [...this.#before, ...this.#after];
      this.#cut(all, move(this.#before.length, all));
      return true;
    }
    const change = CHANGES[event.name];
    if (change !== undefined) {
      [this.#before, this.#after] = change(this.#before, this.#after);
      return true;
    }
    return event.text === undefined ? false : this.#insert(event.text);
  }

  #insert(text: string): boolean {
    // What was typed may join the character before it.
    this.#before = characters(`${this.before}${text}`);
    return true;
  }

  #cut(all: readonly string[], at: number): void {
    this.#before = all.slice(0, Math.max(0, at));
    this.#after = all.slice(Math.max(0, at));
  }
}

function characters(text: string): readonly string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

type Move = (at: number, all: readonly string[]) => number;

const left: Move = (at) => at - 1;
const right: Move = (at) => at + 1;
const start: Move = () => 0;
const end: Move = (_at, all) => all.length;
const wordLeft: Move = (at, all) => {
  let to = at;
  while (to > 0 && all[to - 1]?.trim() === '') to -= 1;
  while (to > 0 && all[to - 1]?.trim() !== '') to -= 1;
  return to;
};
const wordRight: Move = (at, all) => {
  let to = at;
  while (to < all.length && all[to]?.trim() === '') to += 1;
  while (to < all.length && all[to]?.trim() !== '') to += 1;
  return to;
};

const MOVES: Readonly<Record<string, Move>> = {
  left,
  right,
  home: start,
  end,
  'ctrl+b': left,
  'ctrl+f': right,
  'ctrl+a': start,
  'ctrl+e': end,
  'alt+b': wordLeft,
  'ctrl+left': wordLeft,
  'alt+f': wordRight,
  'ctrl+right': wordRight,
};

type Parts = readonly string[];
type Change = (before: Parts, after: Parts) => [Parts, Parts];

const rubOut: Change = (before, after) => [before.slice(0, -1), after];
const rubOutWord: Change = (before, after) => [before.slice(0, wordLeft(before.length, before)), after];

const CHANGES: Readonly<Record<string, Change>> = {
  backspace: rubOut,
  'ctrl+h': rubOut,
  'shift+backspace': rubOut,
  delete: (before, after) => [before, after.slice(1)],
  'ctrl+w': rubOutWord,
  'alt+backspace': rubOutWord,
  'ctrl+u': (_before, after) => [[], after],
  'ctrl+k': (before) => [before, []],
};

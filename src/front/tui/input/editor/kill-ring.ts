/** What was cut, to be put in again (readline). Cuts that follow each other are one. */

import type { CellLines } from './cells.js';

const MOST = 30;

export class KillRing {
  readonly #cuts: CellLines[] = [];
  #isOpen = false;
  /** How far back the last one was taken from. */
  #turned = 0;

  /** `before`: it stood before what was cut last. */
  add(cut: CellLines, side: 'before' | 'behind'): void {
    const last = this.#isOpen ? this.#cuts.pop() : undefined;
    const joined = last === undefined ? cut : side === 'before' ? joinLines(cut, last) : joinLines(last, cut);
    this.#cuts.push(joined);
    if (this.#cuts.length > MOST) this.#cuts.shift();
    this.#isOpen = true;
    this.#turned = 0;
  }

  /** What is cut next is something else. */
  close(): void {
    this.#isOpen = false;
  }

  get last(): CellLines | undefined {
    this.#turned = 0;
    return this.#cuts.at(-1);
  }

  /** The one before the one that was given last; after the oldest the newest again. */
  turn(): CellLines | undefined {
    if (this.#cuts.length === 0) return undefined;
    this.#turned = (this.#turned + 1) % this.#cuts.length;
    return this.#cuts[this.#cuts.length - 1 - this.#turned];
  }
}

function joinLines(first: CellLines, second: CellLines): CellLines {
  const middle = [...(first.at(-1) ?? []), ...(second[0] ?? [])];
  return [...first.slice(0, -1), middle, ...second.slice(1)];
}

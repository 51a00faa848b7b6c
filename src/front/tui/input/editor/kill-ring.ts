/** The kill ring (readline). Consecutive cuts become one. */

import type { CellLines } from './cells.js';

const MOST = 30;

export class KillRing {
  readonly #cuts: CellLines[] = [];
  #isOpen = false;
  /** Distance of the last yank from the newest. */
  #turned = 0;

  /** `before`: the text preceded the last cut. */
  add(cut: CellLines, side: 'before' | 'behind'): void {
    const last = this.#isOpen ? this.#cuts.pop() : undefined;
    const joined = last === undefined ? cut : side === 'before' ? joinLines(cut, last) : joinLines(last, cut);
    this.#cuts.push(joined);
    if (this.#cuts.length > MOST) this.#cuts.shift();
    this.#isOpen = true;
    this.#turned = 0;
  }

  /** The next cut is separate. */
  close(): void {
    this.#isOpen = false;
  }

  get last(): CellLines | undefined {
    this.#turned = 0;
    return this.#cuts.at(-1);
  }

  /** The one before the last yank; after the oldest, the newest again. */
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

/** The line in which a person writes what to look for on a page: `/` opens it, Enter looks, Esc leaves it. */

import type { KeyEvent } from '../input/key-event.js';
import { clip } from '../screen/width.js';

export class SearchLine {
  #text: string | undefined;
  #sought = '';

  get isOpen(): boolean {
    return this.#text !== undefined;
  }

  /** What was looked for last. */
  get sought(): string {
    return this.#sought;
  }

  open(): void {
    this.#text = '';
  }

  /** With what shall be looked for now; an empty line looks for the last again. */
  press(event: KeyEvent): string | undefined {
    if (this.#text === undefined) return undefined;
    if (event.kind === 'paste') this.#text += event.text.split('\n', 1)[0] ?? '';
    if (event.kind !== 'key') return undefined;
    switch (event.name) {
      case 'enter': {
        this.#sought = this.#text === '' ? this.#sought : this.#text;
        this.#text = undefined;
        return this.#sought === '' ? undefined : this.#sought;
      }
      case 'esc':
      case 'ctrl+c':
        this.#text = undefined;
        return undefined;
      case 'backspace':
        this.#text = this.#text === '' ? undefined : [...this.#text].slice(0, -1).join('');
        return undefined;
      case 'ctrl+u':
        this.#text = '';
        return undefined;
      default:
        this.#text += event.text ?? '';
        return undefined;
    }
  }

  /** Undefined while it is closed. */
  row(width: number): string | undefined {
    return this.#text === undefined ? undefined : clip(`/${this.#text}`, width);
  }
}

/** Rows with their codes taken off, for searching. Letters in capitals make it exact. */
export function findRow(rows: readonly string[], sought: string, from: number, way: 'up' | 'down'): number | undefined {
  const matches = matcherOf(sought);
  const step = way === 'down' ? 1 : -1;
  for (let row = from; row >= 0 && row < rows.length; row += step) if (matches(rows[row] ?? '')) return row;
  return undefined;
}

export function matcherOf(sought: string): (row: string) => boolean {
  const isExact = sought !== sought.toLowerCase();
  const wanted = isExact ? sought : sought.toLowerCase();
  return (row) => {
    const plain = withoutCodes(row);
    return (isExact ? plain : plain.toLowerCase()).includes(wanted);
  };
}

export function withoutCodes(row: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: codes begin with one.
  return row.includes('\u001b') ? row.replace(/\u001b\[[\d;:]*m/g, '') : row;
}

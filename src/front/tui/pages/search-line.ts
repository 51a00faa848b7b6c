/** The search line of a page: `/` opens it, Enter searches, Esc closes it. */

import type { KeyEvent } from '../input/key-event.js';
import { LineEditor } from '../input/line-editor.js';
import { clip, widthOf } from '../screen/width.js';

export class SearchLine {
  #line: LineEditor | undefined;
  #sought = '';

  get isOpen(): boolean {
    return this.#line !== undefined;
  }

  /** The last search. */
  get sought(): string {
    return this.#sought;
  }

  open(): void {
    this.#line = new LineEditor();
  }

  /** Called with the text to search for; an empty line repeats the last search. */
  press(event: KeyEvent): string | undefined {
    const line = this.#line;
    if (line === undefined) return undefined;
    if (event.kind === 'paste') line.press({ ...event, text: event.text.split('\n', 1)[0] ?? '' });
    if (event.kind !== 'key') return undefined;
    switch (event.name) {
      case 'enter':
        this.#sought = line.text === '' ? this.#sought : line.text;
        this.#line = undefined;
        return this.#sought === '' ? undefined : this.#sought;
      case 'esc':
      case 'ctrl+c':
        this.#line = undefined;
        return undefined;
      default:
        // Backspace on an empty line closes it.
        if (event.name === 'backspace' && line.text === '') this.#line = undefined;
        else line.press(event);
        return undefined;
    }
  }

  /** Undefined while it is closed. */
  row(width: number): { readonly text: string; readonly column: number } | undefined {
    if (this.#line === undefined) return undefined;
    const text = clip(`/${this.#line.text}`, width);
    return { text, column: Math.min(widthOf(text), widthOf(`/${this.#line.before}`)) };
  }
}

/** Searches rows without their codes. Capital letters make the search case-sensitive. */
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

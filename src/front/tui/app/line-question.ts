/** A question answered with a line, in place of the editor. Text typed for something else does not answer it. */

import type { KeyEvent } from '../input/key-event.js';
import { LineEditor } from '../input/line-editor.js';
import type { Frame } from '../screen/frame.js';
import { pad } from '../screen/width.js';

/** After this long without a key, keys are for the question. */
const QUIET_MS = 500;

export class LineQuestion {
  readonly #prompt: string;
  readonly #answer: (line: string | undefined) => void;
  readonly #line = new LineEditor();
  #lastKey: number;
  #hasKeys = false;

  /** `at`: the last key that may have been meant for something else. `answer` is called once. */
  constructor(prompt: string, at: number, answer: (line: string | undefined) => void) {
    this.#prompt = prompt;
    this.#lastKey = at;
    this.#answer = answer;
  }

  /** False: the key is not for the question. */
  press(event: KeyEvent, now: number): boolean {
    if (event.kind !== 'key' && event.kind !== 'paste') return false;
    this.#hasKeys ||= now - this.#lastKey >= QUIET_MS;
    this.#lastKey = now;
    if (!this.#hasKeys) return false;
    if (event.kind === 'paste') {
      // A paste never answers on its own: it still has to be submitted.
      return this.#line.press({ ...event, text: event.text.replaceAll('\n', ' ') });
    }
    switch (event.name) {
      case 'enter':
        this.#answer(this.#line.text);
        return true;
      case 'esc':
      case 'ctrl+c':
      case 'ctrl+d':
        this.#answer(undefined);
        return true;
      default:
        this.#line.press(event);
        return true;
    }
  }

  frame(width: number, most: number): Frame {
    const { rows, cursor } = this.#line.rows(Math.max(1, width - this.#prompt.length), most);
    const prompt = (index: number) => (index === 0 ? this.#prompt : pad('', this.#prompt.length));
    return {
      rows: rows.map((row, index) => prompt(index) + row),
      cursor: { row: cursor.row, column: cursor.column + this.#prompt.length },
    };
  }
}

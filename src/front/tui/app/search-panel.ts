/** Ctrl+R in place of the editor: searches earlier prompts. */

import { HistorySearch } from '../input/history-search.js';
import type { KeyEvent } from '../input/key-event.js';
import type { Frame } from '../screen/frame.js';
import { widthOf } from '../screen/width.js';
import type { TypedHistory } from './typed-history.js';
import type { Ui } from './ui.js';

export class SearchPanel {
  readonly #ui: Ui;
  readonly #history: TypedHistory;
  #search: HistorySearch | undefined;

  constructor(ui: Ui, history: TypedHistory) {
    this.#ui = ui;
    this.#history = history;
  }

  get isOpen(): boolean {
    return this.#search !== undefined;
  }

  open(): void {
    this.#search = new HistorySearch(this.#history.entries);
  }

  /** Returns true if the match should be sent. */
  press(event: KeyEvent): boolean {
    const step = this.#search?.press(event);
    if (step === undefined || step.kind === 'searching') return false;
    this.#search = undefined;
    if (step.kind === 'cancelled') return false;
    this.#ui.editor.set(step.text);
    return step.send;
  }

  frame(width: number, most: number): Frame {
    const rows = this.#search?.rows(width, most, this.#ui.theme) ?? [];
    return { rows, cursor: { row: 0, column: Math.min(widthOf(rows[0] ?? ''), this.#search?.column ?? 0) } };
  }
}

/** A single-row text field: a reason, a form field, a filter, a search. It has the editing keys of the prompt, with undo. */

import { DEFAULT_BINDINGS } from './bindings/default-bindings.js';
import { wholeText } from './editor/cells.js';
import { ACTS, type EditAction } from './editor/edit-actions.js';
import { Editor } from './editor/editor.js';
import type { View } from './editor/layout.js';
import type { KeyEvent } from './key-event.js';

export class LineEditor {
  readonly #editor = new Editor();

  constructor(text = '') {
    if (text !== '') this.#editor.set(text);
  }

  get text(): string {
    return this.#editor.text;
  }

  /** Replaces the text, the cursor at its end. */
  set text(text: string) {
    this.#editor.set(text);
  }

  get before(): string {
    const { buffer } = this.#editor;
    return buffer
      .between({ line: 0, cell: 0 }, buffer.cursor)
      .map((cells) => wholeText(cells))
      .join('\n');
  }

  get after(): string {
    return this.text.slice(this.before.length);
  }

  rows(width: number, maxRows: number): View {
    return this.#editor.rows(width, maxRows);
  }

  /** False: the key has no meaning here. */
  press(event: KeyEvent): boolean {
    if (event.kind === 'paste') this.#editor.insert(event.text);
    if (event.kind !== 'key') return event.kind === 'paste';
    const action = KEYS.get(event.name);
    if (action !== undefined) this.#editor.act(action);
    else if (event.text !== undefined) this.#editor.insert(event.text);
    return action !== undefined || event.text !== undefined;
  }
}

/** Keys that change pages or rows have no meaning in one row. */
const MANY_ROWS: readonly string[] = ['pageUp', 'pageDown'];

const KEYS = new Map<string, EditAction>([
  ['ctrl+b', 'left'],
  ...DEFAULT_BINDINGS.editor.flatMap(([name, keys]) => {
    const action = name.replace(/^(?:edit|chat):/, '');
    const isEdit = Object.hasOwn(ACTS, action) && action !== 'newline' && !MANY_ROWS.includes(action);
    return isEdit ? [keys].flat().map((key) => [key, action as EditAction] as const) : [];
  }),
]);

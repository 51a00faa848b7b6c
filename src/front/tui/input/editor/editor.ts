/** The prompt editor: text of any number of lines with a cursor, undo, a kill ring, and chips for large content. */

import { widthOf as realWidthOf } from '../../screen/width.js';
import { type Chip, cellLines, classOfTyped, cleanText, type Image, markedText } from './cells.js';
import { type EditAction, type EditState, performEdit } from './edit-actions.js';
import { KillRing } from './kill-ring.js';
import { Layout, type Selection, type View, type WidthOf } from './layout.js';
import { Line } from './line.js';
import { type Draft, TextBuffer } from './text-buffer.js';

/** A paste with more lines than this is shown as a chip. */
const MOST_PASTED_LINES = 10;
/** Also a longer one with fewer lines. */
const MOST_PASTED_CHARS = 10_000;

export class Editor {
  readonly buffer = new TextBuffer();
  readonly #state: EditState & { page: number };
  #lastTyped: 'space' | 'word' | undefined;
  #imagesAttached = 0;
  /** Shown reversed. */
  selection: Selection | undefined;

  constructor(widthOf: WidthOf = realWidthOf) {
    const layout = new Layout(this.buffer, widthOf);
    this.#state = {
      buffer: this.buffer,
      layout,
      kills: new KillRing(),
      page: 10,
      column: undefined,
      yanked: undefined,
    };
  }

  /** The text to send: pastes in full, images by their labels. */
  get text(): string {
    return this.buffer.lines.map((line) => line.text).join('\n');
  }

  /** The visible text: chips as their labels. */
  get shown(): string {
    return this.buffer.lines.map((line) => line.shown).join('\n');
  }

  get isEmpty(): boolean {
    return this.buffer.isEmpty;
  }

  /** The images of the text, in the order of their chips. */
  get images(): readonly Image[] {
    return this.buffer.lines
      .filter((line) => line.hasChips)
      .flatMap((line) => line.cells)
      .flatMap((cell) => (typeof cell !== 'string' && cell.kind === 'image' ? [cell.image] : []));
  }

  /** The text of the line up to the cursor, each chip as one character that is no letter. */
  get beforeCursor(): string {
    const { line, cell } = this.buffer.cursor;
    return markedText(this.buffer.lineAt(line).cells.slice(0, cell));
  }

  /** Replaces the text, the cursor at its end. Undo restores the previous one. */
  set(text: string): void {
    this.settle();
    const lines = cleanText(text).split('\n').map(Line.ofText);
    this.buffer.set({ lines, cursor: { line: lines.length - 1, cell: lines.at(-1)?.length ?? 0 } });
    if (text === '') this.#imagesAttached = 0;
  }

  /** Inserts typed text. Typing is undone by words. */
  insert(text: string): void {
    const kind = classOfTyped(text);
    if (kind === 'other' || (kind === 'word' && this.#lastTyped === 'space')) this.buffer.seal();
    this.settle();
    this.#lastTyped = kind === 'other' ? undefined : kind;
    const { cursor } = this.buffer;
    this.buffer.replace(cursor, cursor, cellLines(text), kind === 'other' ? 'other' : 'type');
  }

  paste(text: string): void {
    const clean = cleanText(text);
    // A line break at the end starts no line.
    const lines = clean.replace(/\n$/, '').split('\n').length;
    if (lines <= MOST_PASTED_LINES && clean.length <= MOST_PASTED_CHARS) {
      this.settle();
      const { cursor } = this.buffer;
      if (clean !== '') this.buffer.replace(cursor, cursor, cellLines(clean));
      return;
    }
    const size = lines > MOST_PASTED_LINES ? `${lines} lines` : `${clean.length} characters`;
    this.#insertChip({ kind: 'paste', label: `[pasted ${size}]`, text: clean });
  }

  /** Returns its label. */
  attachImage(image: Image): string {
    this.#imagesAttached += 1;
    const label = `[image ${this.#imagesAttached}]`;
    this.#insertChip({ kind: 'image', label, image });
    return label;
  }

  /** Returns true if something moved or changed: ↑ in the first row does neither. */
  act(action: EditAction): boolean {
    this.#lastTyped = undefined;
    return performEdit(this.#state, action);
  }

  undo(): boolean {
    return this.act('undo');
  }

  /** Replaces the last `count` characters of `beforeCursor`. */
  replaceBefore(count: number, text: string): void {
    this.settle();
    const { cursor } = this.buffer;
    const cells = this.buffer.lineAt(cursor.line).cells;
    let cell = cursor.cell;
    for (let left = count; left > 0 && cell > 0; left -= markedText(cells.slice(cell, cell + 1)).length) cell -= 1;
    this.buffer.replace({ line: cursor.line, cell }, cursor, cellLines(text));
  }

  /** Turns a backslash before the cursor into a line break, for Enter after it. Returns true if there was one. */
  breakAtBackslash(): boolean {
    if (!this.beforeCursor.endsWith('\\')) return false;
    this.replaceBefore(1, '\n');
    return true;
  }

  /** The text with its chips and cursor, for `restore`. */
  save(): Draft {
    return this.buffer.save();
  }

  restore(draft: Draft): void {
    this.settle();
    this.buffer.set(draft);
  }

  /** At most `maxRows` rows of at most `width` columns, around the cursor. */
  rows(width: number, maxRows: number): View {
    this.#state.page = Math.max(1, maxRows - 1);
    return this.#state.layout.view(width, maxRows, this.selection);
  }

  /** Ends state that only applies between two actions of the same kind: the column of ↑ and ↓, cuts that join. */
  settle(): void {
    this.#lastTyped = undefined;
    this.#state.column = undefined;
    this.#state.yanked = undefined;
    this.#state.kills.close();
  }

  #insertChip(chip: Chip): void {
    this.settle();
    const { cursor } = this.buffer;
    this.buffer.replace(cursor, cursor, [[chip]]);
  }
}

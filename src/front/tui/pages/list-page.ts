/** A list to choose from: sessions, prompts, models, themes. Typing filters it; Space previews an item. */

import type { KeyEvent, NamedKey } from '../input/key-event.js';
import { LineEditor } from '../input/line-editor.js';
import type { Frame, Size } from '../screen/frame.js';
import { clip, widthOf } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import type { Page, PageHost } from './page.js';
import { AT_TOP, type Scroll, settle } from './scroll.js';

export type ListPageOptions<T> = {
  readonly title: string;
  /** Read at the start and after `refresh`. */
  readonly items: () => readonly T[];
  /** The text that the filter matches. */
  readonly textOf: (item: T) => string;
  readonly row: (item: T, width: number) => string;
  /** The page stays open: the callback closes it with the pageHost. */
  readonly choose: (item: T) => void;
  /** Shown below the list on Space. */
  readonly preview?: (item: T, width: number) => readonly string[] | Promise<readonly string[]>;
  /** Additional keys; letters are for the filter. `item` is undefined if the list is empty. */
  readonly keys?: Readonly<Record<string, { readonly does: string; readonly act: (item: T | undefined) => void }>>;
  readonly onCancel?: () => void;
  /** The initial choice. */
  readonly first?: number;
  readonly theme: Theme;
  readonly pageHost: PageHost;
};

type Preview<T> = { readonly item: T; rows: readonly string[] };

export class ListPage<T> implements Page {
  readonly #options: ListPageOptions<T>;
  #items: readonly T[] = [];
  #texts: readonly string[] = [];
  #matching: readonly number[] = [];
  readonly #query = new LineEditor();
  #chosen = 0;
  #scroll: Scroll = AT_TOP;
  #height = 1;
  #width = 80;
  #preview: Preview<T> | undefined;

  constructor(options: ListPageOptions<T>) {
    this.#options = options;
    this.#read();
    this.#chosen = Math.max(0, Math.min(options.first ?? 0, this.#matching.length - 1));
  }

  /** The items have changed; the choice stays if possible. */
  refresh(): void {
    this.#read();
    this.#options.pageHost.paint();
  }

  get chosen(): T | undefined {
    const place = this.#matching[this.#chosen];
    return place === undefined ? undefined : this.#items[place];
  }

  frame({ columns, rows: count }: Size): Frame {
    const { theme } = this.#options;
    this.#width = Math.max(1, columns - 1);
    const preview = this.#previewRows(Math.floor(count / 2));
    this.#height = Math.max(1, count - 3 - preview.length);
    const { top } = this.#scrollToChosen();
    const shown = this.#matching.slice(top, top + this.#height).map((place, index) => this.#row(place, top + index));
    if (shown.length === 0) shown.push(theme.dim(this.#query.text === '' ? '  empty' : '  no matches'));
    while (shown.length < this.#height) shown.push('');
    const filter = clip(`> ${this.#query.text}`, this.#width);
    return {
      rows: [
        clip(this.#head(), this.#width),
        filter,
        ...shown,
        ...preview,
        clip(theme.dim(this.#hints()), this.#width),
      ],
      cursor: { row: 1, column: Math.min(widthOf(filter), widthOf(`> ${this.#query.before}`)) },
    };
  }

  press(event: KeyEvent): void {
    if (event.kind === 'paste') this.#edit({ ...event, text: event.text.split('\n', 1)[0] ?? '' });
    if (event.kind === 'key') this.#key(event);
    this.#options.pageHost.paint();
  }

  #key(event: NamedKey): void {
    const { name } = event;
    const own = this.#options.keys?.[name];
    if (own !== undefined) {
      own.act(this.chosen);
      return;
    }
    const by = this.#stepOf(name);
    if (by !== undefined) this.#move(by);
    else if (name === 'enter') this.#choose();
    else if (name === 'space') this.#togglePreview();
    else if (name === 'esc' || name === 'ctrl+c') this.#leave();
    else this.#edit(event);
  }

  #stepOf(name: string): number | undefined {
    const steps: Readonly<Record<string, number>> = {
      up: -1,
      'ctrl+p': -1,
      down: 1,
      'ctrl+n': 1,
      tab: 1,
      pageup: -this.#height,
      pagedown: this.#height,
      home: -this.#matching.length,
      end: this.#matching.length,
    };
    return steps[name];
  }

  #choose(): void {
    if (this.chosen !== undefined) this.#options.choose(this.chosen);
  }

  #leave(): void {
    if (this.#preview !== undefined) this.#preview = undefined;
    else if (this.#query.text !== '') {
      this.#query.text = '';
      this.#filter();
    } else {
      this.#options.onCancel?.();
      this.#options.pageHost.close();
    }
  }

  #move(by: number): void {
    this.#chosen = Math.max(0, Math.min(this.#chosen + by, this.#matching.length - 1));
    if (this.#preview !== undefined) this.#showPreview();
  }

  #edit(event: KeyEvent): void {
    const { text } = this.#query;
    if (this.#query.press(event) && this.#query.text !== text) this.#filter();
  }

  #filter(): void {
    this.#matching = filterItems(this.#texts, this.#query.text);
    this.#chosen = 0;
    this.#scroll = AT_TOP;
    if (this.#preview !== undefined) this.#showPreview();
  }

  #read(): void {
    this.#items = this.#options.items();
    this.#texts = this.#items.map((item) => this.#options.textOf(item).toLowerCase());
    this.#matching = filterItems(this.#texts, this.#query.text);
    this.#chosen = Math.max(0, Math.min(this.#chosen, this.#matching.length - 1));
  }

  #togglePreview(): void {
    if (this.#preview !== undefined) this.#preview = undefined;
    else this.#showPreview();
  }

  #showPreview(): void {
    const item = this.chosen;
    this.#preview = undefined;
    if (item === undefined || this.#options.preview === undefined) return;
    const preview: Preview<T> = { item, rows: ['…'] };
    this.#preview = preview;
    void Promise.resolve(this.#options.preview(item, this.#width)).then((rows) => {
      preview.rows = rows;
      this.#options.pageHost.paint();
    });
  }

  #previewRows(most: number): string[] {
    if (this.#preview === undefined) return [];
    const rows = this.#preview.rows.slice(0, Math.max(1, most - 1)).map((row) => clip(row, this.#width));
    return [this.#options.theme.dim('─'.repeat(Math.min(20, this.#width))), ...rows];
  }

  #scrollToChosen(): Scroll {
    const { top } = settle(this.#scroll, this.#matching.length, this.#height);
    const highest = Math.max(this.#chosen - this.#height + 1, 0);
    this.#scroll = { top: Math.max(highest, Math.min(top, this.#chosen)), follows: false };
    return this.#scroll;
  }

  #row(place: number, index: number): string {
    const item = this.#items[place] as T;
    const row = clip(this.#options.row(item, this.#width - 2), this.#width - 2);
    return index === this.#chosen ? this.#options.theme.chosen(`› ${row}`) : `  ${row}`;
  }

  #head(): string {
    const { theme, title } = this.#options;
    const isFiltered = this.#matching.length !== this.#items.length;
    const count = isFiltered ? `${this.#matching.length} of ${this.#items.length}` : String(this.#items.length);
    return `${theme.bold(title)} ${theme.dim(count)}`;
  }

  #hints(): string {
    const own = Object.entries(this.#options.keys ?? {}).map(([key, { does }]) => `${key} ${does}`);
    const preview = this.#options.preview === undefined ? [] : ['space preview'];
    return ['↑↓ enter choose', ...preview, ...own, 'type to filter', 'esc back'].join(' · ');
  }
}

/** The indexes of the matches: adjacent letters first, then scattered ones. */
function filterItems(texts: readonly string[], query: string): number[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const exact: number[] = [];
  const loose: number[] = [];
  texts.forEach((text, place) => {
    if (words.every((word) => text.includes(word))) exact.push(place);
    else if (words.every((word) => hasInOrder(text, word))) loose.push(place);
  });
  return [...exact, ...loose];
}

function hasInOrder(text: string, letters: string): boolean {
  let at = -1;
  for (const letter of letters) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}

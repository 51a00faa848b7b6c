/** A text over the whole screen, to scroll and to search: a diff, the keys, what fills the context. */

import type { KeyEvent } from '../input/key-event.js';
import type { Frame, Size } from '../screen/frame.js';
import { clip, widthOf } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import type { Page, PageHost } from './page.js';
import { AT_TOP, bringIntoView, type Scroll, scrollBy, scrollKey, settle } from './scroll.js';
import { findRow, matcherOf, SearchLine, withoutCodes } from './search-line.js';

export type TextPageOptions = {
  readonly title: string;
  /** For a width; asked again only when it changes, or after `refresh`. */
  readonly rows: (width: number) => readonly string[];
  readonly theme: Theme;
  readonly pageHost: PageHost;
  /** What is copied and given to the pager. Omitted: the rows without colours. */
  readonly text?: () => string;
  /** More keys, with what they do for the foot: `A apply`. */
  readonly keys?: Readonly<Record<string, { readonly does: string; readonly act: () => void }>>;
};

const HINTS = '↑↓ scroll · / search · c copy · v pager · q back';
/** Head and foot. */
const AROUND = 2;

export class TextPage implements Page {
  readonly #options: TextPageOptions;
  readonly #search = new SearchLine();
  #scroll: Scroll = AT_TOP;
  #height = 1;
  #made: { readonly width: number; readonly rows: readonly string[] } | undefined;
  /** What was found last, unless the person has scrolled since. */
  #foundAt: number | undefined;
  #said = '';

  constructor(options: TextPageOptions) {
    this.#options = options;
  }

  /** The text has changed. */
  refresh(): void {
    this.#made = undefined;
    this.#options.pageHost.paint();
  }

  frame({ columns, rows: count }: Size): Frame {
    const width = Math.max(1, columns - 1);
    this.#height = Math.max(1, count - AROUND);
    if (this.#made?.width !== width) this.#made = { width, rows: this.#options.rows(width) };
    const { rows } = this.#made;
    this.#scroll = settle(this.#scroll, rows.length, this.#height);
    const { top } = this.#scroll;
    const { theme } = this.#options;
    const mark = this.#search.sought === '' ? undefined : matcherOf(this.#search.sought);
    const shown = rows
      .slice(top, top + this.#height)
      .map((row) => (mark?.(row) ? theme.chosen(withoutCodes(row)) : row));
    while (shown.length < this.#height) shown.push('');
    const line = this.#search.row(width);
    const foot = line ?? clip(theme.dim([this.#place(), this.#said, this.#hints()].filter(Boolean).join(' · ')), width);
    return {
      rows: [clip(theme.bold(this.#options.title), width), ...shown, foot],
      cursor: line === undefined ? undefined : { row: count - 1, column: widthOf(line) },
    };
  }

  press(event: KeyEvent): void {
    this.#act(event);
    this.#options.pageHost.paint();
  }

  #act(event: KeyEvent): void {
    if (this.#search.isOpen) {
      const sought = this.#search.press(event);
      if (sought !== undefined) this.#find(sought, this.#scroll.top, 'down');
      return;
    }
    if (event.kind !== 'key') return;
    const own = this.#options.keys?.[event.name];
    if (own !== undefined) {
      own.act();
      return;
    }
    const by = scrollKey(event.name, this.#height);
    if (by !== undefined) this.#scrollBy(by);
    else this.#command(event.name);
  }

  #command(name: string): void {
    const { pageHost } = this.#options;
    switch (name) {
      case '/':
        this.#search.open();
        break;
      case 'n':
        this.#find(this.#search.sought, (this.#foundAt ?? this.#scroll.top - 1) + 1, 'down');
        break;
      case 'N':
        this.#find(this.#search.sought, (this.#foundAt ?? this.#scroll.top) - 1, 'up');
        break;
      case 'c':
        void pageHost.copy(this.#text()).then((said) => {
          this.#said = said;
          pageHost.paint();
        });
        break;
      case 'v':
        void pageHost.page(this.#text());
        break;
      case 'q':
      case 'esc':
      case 'ctrl+c':
        pageHost.close();
        break;
    }
  }

  #scrollBy(by: number | 'home' | 'end'): void {
    const count = this.#rows.length;
    this.#foundAt = undefined;
    if (by === 'home') this.#scroll = AT_TOP;
    else this.#scroll = scrollBy(this.#scroll, by === 'end' ? count : by, count, this.#height);
  }

  #find(sought: string, from: number, way: 'up' | 'down'): void {
    if (sought === '') return;
    const found = findRow(this.#rows, sought, from, way);
    this.#said = found === undefined ? 'not found' : '';
    if (found === undefined) return;
    this.#foundAt = found;
    this.#scroll = bringIntoView(this.#scroll, found, this.#rows.length, this.#height);
  }

  get #rows(): readonly string[] {
    return this.#made?.rows ?? [];
  }

  #text(): string {
    return this.#options.text?.() ?? `${this.#rows.map(withoutCodes).join('\n')}\n`;
  }

  #place(): string {
    const last = Math.min(this.#rows.length, this.#scroll.top + this.#height);
    return this.#rows.length <= this.#height ? '' : `${last}/${this.#rows.length}`;
  }

  #hints(): string {
    const own = Object.entries(this.#options.keys ?? {}).map(([key, { does }]) => `${key} ${does}`);
    return [...own, HINTS].join(' · ');
  }
}

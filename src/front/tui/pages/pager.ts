/** The common part of text pages: keys to scroll, search, copy, open the pager and go back; marked rows; the foot line. */

import type { KeyEvent } from '../input/key-event.js';
import { clip } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import type { PageHost } from './page.js';
import { bringIntoView, type Scroll, scrollKey } from './scroll.js';
import { matcherOf, SearchLine, withoutCodes } from './search-line.js';

export type PagerOptions = {
  readonly theme: Theme;
  readonly pageHost: PageHost;
  /** Keys of the page itself, which come first: true if it took the key. */
  readonly take: (event: KeyEvent) => boolean;
  readonly scrollBy: (by: number | 'home' | 'end') => void;
  /** Searches from a row and reports it with `found`. */
  readonly find: (sought: string, from: number, way: 'up' | 'down') => void;
  /** The text to copy or open in the pager. */
  readonly text: () => string;
};

export class Pager {
  readonly search = new SearchLine();
  scroll: Scroll;
  /** Number of rows in view. */
  height = 1;
  /** The last message, for the foot. */
  message = '';
  /** The row of the last match, unless the user has scrolled since. */
  #foundAt: number | undefined;
  readonly #options: PagerOptions;

  constructor(scroll: Scroll, options: PagerOptions) {
    this.scroll = scroll;
    this.#options = options;
  }

  press(event: KeyEvent): void {
    this.#act(event);
    this.#options.pageHost.paint();
  }

  say(message: string): void {
    this.message = message;
    this.#options.pageHost.paint();
  }

  /** `count`: the number of all rows. */
  found(row: number | undefined, count: number): void {
    this.message = row === undefined ? 'not found' : '';
    if (row === undefined) return;
    this.#foundAt = row;
    this.scroll = bringIntoView(this.scroll, row, count, this.height);
  }

  /** The rows in view, as many as fit; matches are marked. */
  inView(rows: readonly string[]): string[] {
    const { top } = this.scroll;
    const isFound = this.search.sought === '' ? undefined : matcherOf(this.search.sought);
    const shown = rows
      .slice(top, top + this.height)
      .map((row) => (isFound?.(row) ? this.#options.theme.chosen(withoutCodes(row)) : row));
    while (shown.length < this.height) shown.push('');
    return shown;
  }

  /** The foot while no search is being typed. */
  foot(place: string, hints: string, width: number): string {
    return clip(this.#options.theme.dim([place, this.message, hints].filter(Boolean).join(' · ')), width);
  }

  #act(event: KeyEvent): void {
    const { take, find, scrollBy } = this.#options;
    if (this.search.isOpen) {
      const sought = this.search.press(event);
      if (sought !== undefined) find(sought, this.scroll.top, 'down');
      return;
    }
    if (take(event) || event.kind !== 'key') return;
    const by = scrollKey(event.name, this.height);
    if (by === undefined) this.#command(event.name);
    else {
      this.#foundAt = undefined;
      scrollBy(by);
    }
  }

  #command(name: string): void {
    const { pageHost, text, find } = this.#options;
    const { sought } = this.search;
    switch (name) {
      case '/':
        this.search.open();
        break;
      case 'n':
        if (sought !== '') find(sought, (this.#foundAt ?? this.scroll.top - 1) + 1, 'down');
        break;
      case 'N':
        if (sought !== '') find(sought, (this.#foundAt ?? this.scroll.top) - 1, 'up');
        break;
      case 'c':
        void pageHost.copy(text()).then((message) => this.say(message));
        break;
      case 'v':
        void pageHost.page(text());
        break;
      case 'q':
      case 'esc':
        pageHost.close();
        break;
    }
  }
}

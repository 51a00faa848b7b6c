/** Full-screen text to scroll and search: a diff, the keys, the context usage. */

import type { KeyEvent } from '../input/key-event.js';
import type { Frame, Size } from '../screen/frame.js';
import { clip } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import type { Page, PageHost } from './page.js';
import { Pager } from './pager.js';
import { AT_TOP, scrollBy, settle } from './scroll.js';
import { findRow, withoutCodes } from './search-line.js';

export type TextPageOptions = {
  readonly title: string;
  /** For a width; called again only when it changes, or after `refresh`. */
  readonly rows: (width: number) => readonly string[];
  readonly theme: Theme;
  readonly pageHost: PageHost;
  /** The text to copy or open in the pager. Omitted: the rows without colours. */
  readonly text?: () => string;
  /** Additional keys, with labels for the foot: `A apply`. */
  readonly keys?: Readonly<Record<string, { readonly does: string; readonly act: () => void }>>;
};

const HINTS = '↑↓ scroll · / search · c copy · v pager · q back';
/** Head and foot. */
const AROUND = 2;

export class TextPage implements Page {
  readonly #options: TextPageOptions;
  readonly #pager: Pager;
  #made: { readonly width: number; readonly rows: readonly string[] } | undefined;

  constructor(options: TextPageOptions) {
    const { theme, pageHost } = options;
    this.#options = options;
    this.#pager = new Pager(AT_TOP, {
      theme,
      pageHost,
      take: (event) => this.#take(event),
      scrollBy: (by) => this.#scrollBy(by),
      find: (sought, from, way) => this.#pager.found(findRow(this.#rows, sought, from, way), this.#rows.length),
      text: () => options.text?.() ?? `${this.#rows.map(withoutCodes).join('\n')}\n`,
    });
  }

  /** The text has changed. */
  refresh(): void {
    this.#made = undefined;
    this.#options.pageHost.paint();
  }

  frame({ columns, rows: count }: Size): Frame {
    const pager = this.#pager;
    const width = Math.max(1, columns - 1);
    pager.height = Math.max(1, count - AROUND);
    if (this.#made?.width !== width) this.#made = { width, rows: this.#options.rows(width) };
    const { rows } = this.#made;
    pager.scroll = settle(pager.scroll, rows.length, pager.height);
    const line = pager.search.row(width);
    const foot = line?.text ?? pager.foot(this.#place(), this.#hints(), width);
    return {
      rows: [clip(this.#options.theme.bold(this.#options.title), width), ...pager.inView(rows), foot],
      cursor: line === undefined ? undefined : { row: count - 1, column: line.column },
    };
  }

  press(event: KeyEvent): void {
    this.#pager.press(event);
  }

  #take(event: KeyEvent): boolean {
    const { keys, pageHost } = this.#options;
    if (event.kind !== 'key') return false;
    const own = keys?.[event.name];
    own?.act();
    if (own === undefined && event.name === 'ctrl+c') pageHost.close();
    return own !== undefined;
  }

  #scrollBy(by: number | 'home' | 'end'): void {
    const { scroll, height } = this.#pager;
    const count = this.#rows.length;
    this.#pager.scroll = by === 'home' ? AT_TOP : scrollBy(scroll, by === 'end' ? count : by, count, height);
  }

  get #rows(): readonly string[] {
    return this.#made?.rows ?? [];
  }

  #place(): string {
    const { scroll, height } = this.#pager;
    const last = Math.min(this.#rows.length, scroll.top + height);
    return this.#rows.length <= height ? '' : `${last}/${this.#rows.length}`;
  }

  #hints(): string {
    const own = Object.entries(this.#options.keys ?? {}).map(([key, { does }]) => `${key} ${does}`);
    return [...own, HINTS].join(' · ');
  }
}

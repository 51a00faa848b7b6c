/** The whole transcript of an agent, live: to scroll, search, copy and page through, however long it is (TU-9). */

import { stripToLine } from '../../../gate/permissions/strip-controls.js';
import type { KeyEvent } from '../input/key-event.js';
import type { Frame, Size } from '../screen/frame.js';
import { clip, widthOf } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import type { Page, PageHost } from './page.js';
import { AT_END, bringIntoView, type Scroll, scrollBy, scrollKey, settle } from './scroll.js';
import { matcherOf, SearchLine, withoutCodes } from './search-line.js';
import { headRows, type TranscriptHead } from './transcript-head.js';
import { TranscriptWindow, type TranscriptWindowOptions } from './transcript-window.js';

export type TranscriptPageOptions = TranscriptWindowOptions & {
  readonly head: () => TranscriptHead;
  readonly theme: Theme;
  readonly pageHost: PageHost;
  /** What is coming right now, and is not in the transcript yet. */
  readonly coming?: (width: number) => readonly string[];
  /** Rows at the foot: an editor that writes to this agent, a question. */
  readonly foot?: (width: number, mostRows: number, now: number) => Frame;
  /** Keys that the foot takes: true if it did. */
  readonly take?: (event: KeyEvent) => boolean;
  /** Whether the foot has a question that takes keys. */
  readonly asks?: () => boolean;
  readonly hints?: () => string;
  readonly onClosed?: () => void;
};

const HINTS = '↑↓ scroll · / search · c copy · v pager · esc back';
/** Rows above the first that are left before more is read. */
const AHEAD = 100;

export class TranscriptPage implements Page {
  readonly #options: TranscriptPageOptions;
  readonly #window: TranscriptWindow;
  readonly #search = new SearchLine();
  #scroll: Scroll = AT_END;
  #height = 1;
  #width = 0;
  #foundAt: number | undefined;
  #said = '';
  /** What is read is read one after the other. */
  #work: Promise<void> = Promise.resolve();
  /** Rows that could not be scrolled because they were not read yet. */
  #owed = 0;
  #isRefreshing = false;
  #isExtending = false;
  #isClosed = false;

  constructor(options: TranscriptPageOptions) {
    this.#options = options;
    this.#window = new TranscriptWindow(options);
    this.#do(() => this.#window.openEnd());
  }

  /** The agent has done something: what is new is read, if the end is in view. */
  refresh(): void {
    if (this.#isRefreshing || !this.#scroll.follows) return;
    this.#isRefreshing = true;
    this.#do(async () => {
      this.#isRefreshing = false;
      while (!this.#isClosed && (await this.#window.extendDown(this.#onMoved)));
    });
  }

  closed(): void {
    this.#isClosed = true;
    this.#options.onClosed?.();
  }

  frame({ columns, rows: count }: Size, now: number): Frame {
    const width = Math.max(1, columns - 1);
    if (width !== this.#width) {
      this.#width = width;
      this.#do(() => this.#window.setWidth(width));
    }
    const head = headRows(this.#options.head(), width, this.#options.theme);
    const foot = this.#footFrame(width, Math.max(1, Math.floor(count / 2)), now);
    this.#height = Math.max(1, count - head.length - foot.rows.length);
    const rows = this.#shownRows();
    const body = rows.slice(this.#scroll.top, this.#scroll.top + this.#height);
    while (body.length < this.#height) body.push('');
    const above = head.length + body.length;
    return {
      rows: [...head, ...body, ...foot.rows],
      cursor: foot.cursor && { row: above + foot.cursor.row, column: foot.cursor.column },
    };
  }

  get asks(): boolean {
    return !this.#search.isOpen && this.#options.asks?.() === true;
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
    if (this.#options.take?.(event) || event.kind !== 'key') return;
    const by = scrollKey(event.name, this.#height);
    if (by !== undefined) this.#scrollBy(by);
    else this.#command(event.name);
  }

  #command(name: string): void {
    const { pageHost } = this.#options;
    const { sought } = this.#search;
    switch (name) {
      case '/':
        this.#search.open();
        break;
      case 'n':
        this.#find(sought, (this.#foundAt ?? this.#scroll.top - 1) + 1, 'down');
        break;
      case 'N':
        this.#find(sought, (this.#foundAt ?? this.#scroll.top) - 1, 'up');
        break;
      case 'c':
        void pageHost.copy(this.#text()).then((said) => this.#say(said));
        break;
      case 'v':
        void pageHost.page(this.#text());
        break;
      case 'q':
      case 'esc':
        pageHost.close();
        break;
    }
  }

  #scrollBy(by: number | 'home' | 'end'): void {
    this.#foundAt = undefined;
    if (by === 'end') {
      this.#scroll = AT_END;
      if (!this.#window.isAtEnd) this.#do(() => this.#window.openEnd());
    } else if (by === 'home') {
      this.#scroll = { top: 0, follows: false };
      if (!this.#window.isAtStart) this.#do(async () => void (await this.#window.openAt(0)));
    } else {
      const count = this.#window.rows.length;
      const { top } = settle(this.#scroll, count, this.#height);
      this.#scroll = scrollBy(this.#scroll, by, count, this.#height, this.#window.isAtEnd);
      this.#owed += by - (this.#scroll.top - top);
      this.#extend(by);
    }
    this.refresh();
  }

  /** Reads on before the person comes to the end of what was read. */
  #extend(by: number): void {
    const { isAtStart, isAtEnd, rows } = this.#window;
    const { top } = this.#scroll;
    const isNear = by < 0 ? !isAtStart && top < AHEAD : !isAtEnd && top + this.#height > rows.length - AHEAD;
    if (!isNear) {
      this.#owed = 0;
      return;
    }
    if (this.#isExtending) return;
    this.#isExtending = true;
    this.#do(async () => {
      this.#isExtending = false;
      if (by < 0) await this.#window.extendUp(this.#onMoved);
      else await this.#window.extendDown(this.#onMoved);
    });
  }

  /** Rows came in above, or went away there: what is in view stays in view. */
  readonly #onMoved = (rows: number): void => {
    if (!this.#scroll.follows)
      this.#scroll = { top: Math.max(0, this.#scroll.top + rows + this.#owed), follows: false };
    this.#owed = 0;
  };

  #find(sought: string, from: number, way: 'up' | 'down'): void {
    if (sought === '') return;
    this.#said = 'searching…';
    this.#do(async () => {
      const found = await this.#window.find(sought, from, way);
      this.#said = found === undefined ? 'not found' : '';
      if (found === undefined) return;
      this.#foundAt = found;
      this.#scroll = bringIntoView(this.#scroll, found, this.#window.rows.length, this.#height);
    });
  }

  /** A transcript that can't be read is said, and is no end of the program. */
  #do(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).then(
      () => this.#options.pageHost.paint(),
      (error: Error) => this.#say(`the transcript could not be read: ${stripToLine(error.message)}`),
    );
  }

  #say(said: string): void {
    this.#said = said;
    this.#options.pageHost.paint();
  }

  #shownRows(): string[] {
    const coming = this.#window.isAtEnd ? (this.#options.coming?.(this.#width) ?? []) : [];
    const rows = [...this.#window.rows, ...coming];
    this.#scroll = settle(this.#scroll, rows.length, this.#height);
    if (this.#search.sought === '') return rows;
    const isFound = matcherOf(this.#search.sought);
    const { top } = this.#scroll;
    for (let row = top; row < Math.min(rows.length, top + this.#height); row += 1) {
      const text = rows[row] ?? '';
      if (isFound(text)) rows[row] = this.#options.theme.chosen(withoutCodes(text));
    }
    return rows;
  }

  #footFrame(width: number, mostRows: number, now: number): Frame {
    const line = this.#search.row(width);
    if (line !== undefined) return { rows: [line], cursor: { row: 0, column: widthOf(line) } };
    const hints = this.#options.hints?.() ?? HINTS;
    const status = [this.#place(), this.#said, hints].filter(Boolean).join(' · ');
    const own = this.#options.foot?.(width, mostRows, now);
    const rows = [...(own?.rows ?? []), clip(this.#options.theme.dim(status), width)];
    return { rows, cursor: own?.cursor };
  }

  #place(): string {
    if (this.#scroll.follows) return 'end';
    return `${Math.round(this.#window.shareAt(this.#scroll.top + this.#height) * 100)}%`;
  }

  /** What is in view around here: a whole transcript of 100 MB is for a file. */
  #text(): string {
    return `${this.#window.rows.map(withoutCodes).join('\n')}\n`;
  }
}

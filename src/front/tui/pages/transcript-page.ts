/** The whole transcript of an agent, live: to scroll, search, copy and page through, however long it is (TU-9). */

import { stripToLine } from '../../../gate/permissions/strip-unsafe.js';
import type { Press } from '../input/press.js';
import type { Frame, Size } from '../screen/frame.js';
import { clip, widthOf } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import type { Page, PageDesk } from './page.js';
import { AT_END, bringIntoView, type Scroll, scrollBy, scrollKey, settle } from './scroll.js';
import { matcherOf, SearchLine, withoutCodes } from './search-line.js';
import { TranscriptWindow, type TranscriptWindowOptions } from './transcript-window.js';

export type TranscriptHead = {
  readonly name: string;
  readonly directive: string;
  readonly type?: string | undefined;
  readonly model?: string | undefined;
  readonly worktree?: string | undefined;
  readonly costUsd?: number | undefined;
  /** From 0 to 1. */
  readonly cacheShare?: number | undefined;
};

export type TranscriptPageOptions = TranscriptWindowOptions & {
  readonly head: () => TranscriptHead;
  readonly theme: Theme;
  readonly desk: PageDesk;
  /** What is coming right now, and is not in the transcript yet. */
  readonly coming?: (width: number) => readonly string[];
  /** Rows at the foot: an editor that writes to this agent, a question. */
  readonly foot?: (width: number, mostRows: number, now: number) => Frame;
  /** Keys that the foot takes: true if it did. */
  readonly take?: (press: Press) => boolean;
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
      while (!this.#isClosed && !this.#window.isAtEnd) await this.#window.extendDown();
      await this.#window.extendDown();
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
    const head = this.#headRows(width);
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

  press(press: Press): void {
    this.#act(press);
    this.#options.desk.paint();
  }

  #act(press: Press): void {
    if (this.#search.isOpen) {
      const sought = this.#search.press(press);
      if (sought !== undefined) this.#find(sought, this.#scroll.top, 'down');
      return;
    }
    if (this.#options.take?.(press) || press.kind !== 'key') return;
    const by = scrollKey(press.name, this.#height);
    if (by !== undefined) this.#scrollBy(by);
    else this.#command(press.name);
  }

  #command(name: string): void {
    const { desk } = this.#options;
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
        void desk.copy(this.#text()).then((said) => this.#say(said));
        break;
      case 'v':
        void desk.page(this.#text());
        break;
      case 'q':
      case 'esc':
        desk.close();
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
      this.#scroll = scrollBy(this.#scroll, by, this.#window.rows.length, this.#height, this.#window.isAtEnd);
      this.#extend(by);
    }
    this.refresh();
  }

  /** Reads on before the person comes to the end of what was read. */
  #extend(by: number): void {
    const { top } = this.#scroll;
    const isNearEnd = top + this.#height > this.#window.rows.length - AHEAD;
    if (this.#isExtending || !(by < 0 ? top < AHEAD && !this.#window.isAtStart : isNearEnd && !this.#window.isAtEnd))
      return;
    this.#isExtending = true;
    this.#do(async () => {
      this.#isExtending = false;
      const moved = by < 0 ? await this.#window.extendUp() : -(await this.#window.extendDown());
      if (!this.#scroll.follows) this.#scroll = { top: Math.max(0, this.#scroll.top + moved), follows: false };
    });
  }

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
      () => this.#options.desk.paint(),
      (error: Error) => this.#say(`the transcript could not be read: ${stripToLine(error.message)}`),
    );
  }

  #say(said: string): void {
    this.#said = said;
    this.#options.desk.paint();
  }

  #shownRows(): string[] {
    const coming = this.#window.isAtEnd ? (this.#options.coming?.(this.#width) ?? []) : [];
    const rows = [...this.#window.rows.slice(0), ...coming];
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

  #headRows(width: number): string[] {
    const { theme } = this.#options;
    const { name, directive, type, model, worktree, costUsd, cacheShare } = this.#options.head();
    const facts = [
      type,
      model,
      worktree && `worktree ${worktree}`,
      costUsd === undefined ? undefined : `$${costUsd.toFixed(2)}`,
      cacheShare === undefined ? undefined : `cache ${Math.round(cacheShare * 100)}%`,
    ];
    const line = facts
      .filter(Boolean)
      .map((fact) => ` · ${stripToLine(fact ?? '')}`)
      .join('');
    return [
      clip(theme.bold(stripToLine(name)) + theme.dim(line), width),
      clip(stripToLine(directive), width),
      theme.dim('─'.repeat(Math.min(20, width))),
    ];
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

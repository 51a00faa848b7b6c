/** The whole transcript of an agent, live: to scroll, search, copy and page through, at any length (TU-9). */

import { stripToLine } from '../../../gate/permissions/strip-controls.js';
import { money, percent } from '../../../protocol/format-numbers.js';
import type { KeyEvent } from '../input/key-event.js';
import type { Frame, Size } from '../screen/frame.js';
import { clip } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import type { Page, PageHost } from './page.js';
import { Pager } from './pager.js';
import { AT_END, scrollBy, settle } from './scroll.js';
import { withoutCodes } from './search-line.js';
import { TranscriptWindow, type TranscriptWindowOptions } from './transcript-window.js';

export type TranscriptPageOptions = TranscriptWindowOptions & {
  readonly head: () => TranscriptHead;
  readonly theme: Theme;
  readonly pageHost: PageHost;
  /** Streaming text that is not in the transcript yet. */
  readonly streaming?: (width: number) => readonly string[];
  /** Rows at the foot: a line to write to this agent, a question. */
  readonly foot?: (width: number, mostRows: number, now: number) => Frame;
  /** Keys of the foot: true if it took the key. */
  readonly take?: (event: KeyEvent) => boolean;
  /** True if the foot has a question that takes keys. */
  readonly asks?: () => boolean;
  readonly hints?: () => string;
  readonly onClosed?: () => void;
};

const HINTS = '↑↓ scroll · / search · c copy · v pager · esc back';
/** More is read when fewer rows than this are left above. */
const AHEAD = 100;

export class TranscriptPage implements Page {
  readonly #options: TranscriptPageOptions;
  readonly #window: TranscriptWindow;
  readonly #pager: Pager;
  #width = 0;
  /** Reads run one after another. */
  #work: Promise<void> = Promise.resolve();
  /** Rows left to scroll once they are read. */
  #owed = 0;
  #isRefreshing = false;
  #isExtending = false;
  #isClosed = false;

  constructor(options: TranscriptPageOptions) {
    this.#options = options;
    this.#window = new TranscriptWindow(options);
    this.#pager = new Pager(AT_END, {
      theme: options.theme,
      pageHost: options.pageHost,
      take: (event) => options.take?.(event) === true,
      scrollBy: (by) => this.#scrollBy(by),
      find: (sought, from, way) => this.#find(sought, from, way),
      // Only the part around the view: a whole transcript of 100 MB belongs in a file.
      text: () => `${this.#window.rows.map(withoutCodes).join('\n')}\n`,
    });
    this.#do(() => this.#window.openEnd());
  }

  /** The agent did something: new records are read, if the end is in view. */
  refresh(): void {
    if (this.#isRefreshing || !this.#pager.scroll.follows) return;
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
    this.#pager.height = Math.max(1, count - head.length - foot.rows.length);
    const body = this.#shownRows();
    const above = head.length + body.length;
    return {
      rows: [...head, ...body, ...foot.rows],
      cursor: foot.cursor && { row: above + foot.cursor.row, column: foot.cursor.column },
    };
  }

  get asks(): boolean {
    return !this.#pager.search.isOpen && this.#options.asks?.() === true;
  }

  press(event: KeyEvent): void {
    this.#pager.press(event);
  }

  #scrollBy(by: number | 'home' | 'end'): void {
    const pager = this.#pager;
    if (by === 'end') {
      pager.scroll = AT_END;
      if (!this.#window.isAtEnd) this.#do(() => this.#window.openEnd());
    } else if (by === 'home') {
      pager.scroll = { top: 0, follows: false };
      if (!this.#window.isAtStart) this.#do(async () => void (await this.#window.openAt(0)));
    } else {
      const count = this.#window.rows.length;
      const { top } = settle(pager.scroll, count, pager.height);
      pager.scroll = scrollBy(pager.scroll, by, count, pager.height, this.#window.isAtEnd);
      this.#owed += by - (pager.scroll.top - top);
      this.#extend(by);
    }
    this.refresh();
  }

  /** Reads ahead before the view reaches the end of what was read. */
  #extend(by: number): void {
    const { isAtStart, isAtEnd, rows } = this.#window;
    const { top } = this.#pager.scroll;
    const isNear = by < 0 ? !isAtStart && top < AHEAD : !isAtEnd && top + this.#pager.height > rows.length - AHEAD;
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

  /** Rows were added or removed above: the view stays in place. */
  readonly #onMoved = (rows: number): void => {
    if (!this.#pager.scroll.follows)
      this.#pager.scroll = { top: Math.max(0, this.#pager.scroll.top + rows + this.#owed), follows: false };
    this.#owed = 0;
  };

  #find(sought: string, from: number, way: 'up' | 'down'): void {
    this.#pager.message = 'searching…';
    this.#do(async () => {
      const found = await this.#window.find(sought, from, way);
      this.#pager.found(found, this.#window.rows.length);
    });
  }

  /** A transcript that can't be read is reported, and does not end the program. */
  #do(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).then(
      () => this.#options.pageHost.paint(),
      (error: Error) => this.#pager.say(`can't read the transcript: ${stripToLine(error.message)}`),
    );
  }

  #shownRows(): string[] {
    const streaming = this.#window.isAtEnd ? (this.#options.streaming?.(this.#width) ?? []) : [];
    const rows = [...this.#window.rows, ...streaming];
    this.#pager.scroll = settle(this.#pager.scroll, rows.length, this.#pager.height);
    return this.#pager.inView(rows);
  }

  #footFrame(width: number, mostRows: number, now: number): Frame {
    const line = this.#pager.search.row(width);
    if (line !== undefined) return { rows: [line.text], cursor: { row: 0, column: line.column } };
    const own = this.#options.foot?.(width, mostRows, now);
    const rows = [...(own?.rows ?? []), this.#pager.foot(this.#place(), this.#options.hints?.() ?? HINTS, width)];
    return { rows, cursor: own?.cursor };
  }

  #place(): string {
    if (this.#pager.scroll.follows) return 'end';
    return percent(this.#window.shareAt(this.#pager.scroll.top + this.#pager.height));
  }
}

type TranscriptHead = {
  readonly name: string;
  readonly directive: string;
  readonly type?: string | undefined;
  readonly model?: string | undefined;
  readonly worktree?: string | undefined;
  readonly costUsd?: number | undefined;
  /** From 0 to 1. */
  readonly cacheShare?: number | undefined;
};

/** The head above an agent's transcript. */
function headRows(head: TranscriptHead, width: number, theme: Theme): string[] {
  const { name, directive, type, model, worktree, costUsd, cacheShare } = head;
  const facts = [
    type,
    model,
    worktree && `worktree ${worktree}`,
    costUsd === undefined ? undefined : money(costUsd),
    cacheShare === undefined ? undefined : `cache ${percent(cacheShare)}`,
  ];
  const line = facts.flatMap((fact) => (fact ? ` · ${stripToLine(fact)}` : [])).join('');
  return [
    clip(theme.bold(stripToLine(name)) + theme.dim(line), width),
    clip(stripToLine(directive), width),
    theme.dim('─'.repeat(Math.min(20, width))),
  ];
}

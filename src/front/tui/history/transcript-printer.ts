/** Prints the conversation into the history: everything once, in order; a reply row by row as it streams (TU-1). */

import type { AgentEvent } from '../../../protocol/events.js';
import type { Item } from '../../view/items/item.js';
import { ItemFold } from '../../view/items/item-fold.js';
import { itemRows } from '../parts/item-rows.js';
import { ReplyRows } from '../parts/reply-rows.js';
import { wrap } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';

export type TranscriptPrinterOptions = {
  readonly print: (rows: readonly string[]) => void;
  /** The current width of the history. */
  readonly width: () => number;
  readonly theme: () => Theme;
  readonly cwd: string;
  /** The key that expands folded text. */
  readonly wholeKey: () => string;
  /** Events that are shown elsewhere. */
  readonly leavesOut?: (item: Item) => boolean;
};

/** A streaming text: its index in the reply. */
type Text = { readonly index: number; readonly rows: ReplyRows; tail: Tail | undefined; isBegun: boolean };
type Tail = { readonly width: number; readonly rows: readonly string[]; readonly at: number; isCurrent: boolean };

/** Streaming text is laid out again after this long at the earliest, since each time the whole of it is read. */
const TAIL_MS = 100;

export class TranscriptPrinter {
  readonly #options: TranscriptPrinterOptions;
  readonly #rows: OrderedRows;
  readonly #fold = new ItemFold({ streams: true });
  #text: Text | undefined;
  #last: Item['kind'] | undefined;
  /** True if part of the answer to the last prompt has arrived. */
  hasToken = true;
  /** The text of the last prompt that was read. */
  lastPrompt: string | undefined;

  constructor(options: TranscriptPrinterOptions) {
    this.#options = options;
    this.#rows = new OrderedRows(options.print);
  }

  /** Takes the events of the agent in view, in order. */
  take(event: AgentEvent, seq: number | undefined): void {
    if (ENDS_TEXT.has(event.kind)) this.#endText();
    if (BRINGS_TOKEN.has(event.kind)) this.hasToken = true;
    for (const item of this.#fold.take(event, seq)) this.tell(item);
    if (event.kind === 'text-streamed') this.#stream(event.index, event.text);
  }

  tell(item: Item): void {
    if (item.kind === 'prompt') {
      this.hasToken = false;
      this.lastPrompt = item.text;
    }
    const { cwd, wholeKey, leavesOut } = this.#options;
    if (leavesOut?.(item)) return;
    this.#print(item.kind, itemRows(item, { ...this.#look(), cwd, key: wholeKey() }));
  }

  /** The end of the earlier conversation, as it would be printed. */
  async lastRows(
    items: readonly Item[],
    most: number,
  ): Promise<{ readonly rows: readonly string[]; readonly isCut: boolean }> {
    const rows: string[] = [];
    const past = new TranscriptPrinter({ ...this.#options, print: (made) => void rows.push(...made) });
    for (const item of items) past.tell(item);
    await past.settled();
    return { rows: rows.slice(-most), isCut: rows.length > most };
  }

  /** Prints a line about the conversation. */
  say(level: 'info' | 'warning' | 'error', text: string): void {
    this.tell({ kind: 'line', level, text });
  }

  /** Prints our own lines as they are. They are safe already. */
  lines(text: string): void {
    const { width } = this.#look();
    this.#last = undefined;
    this.#rows.push(text.split('\n').flatMap((line) => wrap(line, width)));
  }

  /** The last rows of the current reply that are not in the history yet. */
  tail(width: number, most: number, now: number): readonly string[] {
    const text = this.#text;
    if (text === undefined) return [];
    const { tail } = text;
    const isGood = tail?.width === width && (tail.isCurrent || now - tail.at < TAIL_MS);
    const shown = isGood ? tail : this.#layTail(text, width, now);
    text.tail = shown;
    return shown.rows.slice(-most);
  }

  /** The last prompt no longer awaits an answer: it was withdrawn, or is of the past. */
  forgetPrompt(): void {
    this.hasToken = true;
    this.lastPrompt = undefined;
  }

  /** Resolves when everything so far is in the history. */
  settled(): Promise<void> {
    return this.#rows.settled();
  }

  #layTail({ rows }: Text, width: number, now: number): Tail {
    return { width, rows: rows.tail({ width, theme: this.#options.theme() }), at: now, isCurrent: true };
  }

  #look(): { readonly width: number; readonly theme: Theme } {
    return { width: this.#options.width(), theme: this.#options.theme() };
  }

  #stream(index: number, piece: string): void {
    if (this.#text?.index !== index) {
      this.#endText();
      this.#text = { index, rows: new ReplyRows(), tail: undefined, isBegun: false };
    }
    const rows = this.#text.rows.push(piece, this.#look());
    // Text in the history must not appear below it, too.
    if (rows.length > 0) this.#text.tail = undefined;
    else if (this.#text.tail !== undefined) this.#text.tail.isCurrent = false;
    this.#printText(this.#text, rows);
  }

  #endText(): void {
    const text = this.#text;
    this.#text = undefined;
    if (text !== undefined) this.#printText(text, text.rows.end(this.#look()));
  }

  #printText(text: Text, rows: readonly string[]): void {
    if (rows.length === 0) return;
    // A continuation stays with its text.
    if (text.isBegun) this.#rows.push(rows);
    else this.#print('text', rows);
    text.isBegun = true;
  }

  #print(kind: Item['kind'], rows: readonly string[] | Promise<readonly string[]>): void {
    const gap = hasGap(this.#last, kind) ? [''] : [];
    this.#last = kind;
    this.#rows.push(rows instanceof Promise ? rows.then((made) => [...gap, ...made]) : [...gap, ...rows]);
  }
}

/** A reply is set apart from what precedes it. */
function hasGap(last: Item['kind'] | undefined, next: Item['kind']): boolean {
  return next === 'text' && last !== undefined && last !== 'prompt' && last !== 'thinking';
}

const ENDS_TEXT: ReadonlySet<AgentEvent['kind']> = new Set([
  'block-began',
  'block-finished',
  'assistant-replied',
  'response-discarded',
  'run-ended',
  'call-started',
  'message-joined',
]);

const BRINGS_TOKEN: ReadonlySet<AgentEvent['kind']> = new Set([
  'text-streamed',
  'thinking-streamed',
  'call-streamed',
  'assistant-replied',
]);

type PendingRows = readonly string[] | Promise<readonly string[]>;

/** Prints rows in the order they were requested, even if some take time to make (a diff). */
class OrderedRows {
  readonly #print: (rows: readonly string[]) => void;
  readonly #waiting: PendingRows[] = [];
  #drained: Promise<void> | undefined;

  constructor(print: (rows: readonly string[]) => void) {
    this.#print = print;
  }

  push(made: PendingRows): void {
    if (this.#drained === undefined && !(made instanceof Promise)) return void this.#print(made);
    this.#waiting.push(made);
    this.#drained ??= this.#drain();
  }

  /** Resolves when everything so far is printed. */
  async settled(): Promise<void> {
    await this.#drained;
  }

  async #drain(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#print(await next);
    this.#drained = undefined;
  }
}

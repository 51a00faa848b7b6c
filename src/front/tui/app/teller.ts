/** Tells the conversation into the history: what is said and done, once, in order; a reply block by block as it comes (TU-1). */

import type { AgentEvent } from '../../../protocol/events.js';
import { InertStream } from '../../view/inert-stream.js';
import type { Item } from '../../view/items/item.js';
import { ItemFold } from '../../view/items/item-fold.js';
import { itemRows } from '../parts/item-rows.js';
import { renderMarkdown } from '../parts/markdown/render-markdown.js';
import { BlockSplitter } from '../parts/markdown/split-blocks.js';
import type { Theme } from '../theme/theme.js';
import { OrderedRows } from './ordered-rows.js';
import { replyRows } from './reply-rows.js';

export type TellerOptions = {
  readonly print: (rows: readonly string[]) => void;
  /** Of the history, now. */
  readonly width: () => number;
  readonly theme: () => Theme;
  readonly cwd: string;
};

export class Teller {
  readonly #options: TellerOptions;
  readonly #rows: OrderedRows;
  readonly #fold = new ItemFold({ streams: true });
  #splitter = new BlockSplitter();
  #inert = new InertStream();
  /** The text that is coming: its number, and whether a part of it is in the history. */
  #text: { readonly index: number; isBegun: boolean } | undefined;
  #tail: { readonly text: string; readonly width: number; readonly rows: readonly string[] } | undefined;
  #last: Item['kind'] | undefined;
  #onRunEnd: (() => void)[] = [];
  /** Whether anything of an answer to the last prompt has come. */
  hasToken = false;
  /** The words of the last prompt that was read. */
  lastPrompt: string | undefined;

  constructor(options: TellerOptions) {
    this.#options = options;
    this.#rows = new OrderedRows(options.print);
  }

  /** Events of the agent in view, in order. */
  take(event: AgentEvent, seq: number | undefined): void {
    if (ENDS_TEXT.has(event.kind)) this.#endText();
    if (BRINGS_TOKEN.has(event.kind)) this.hasToken = true;
    for (const item of this.#fold.take(event, seq)) this.tell(item);
    if (event.kind === 'text-streamed') this.#stream(event.index, event.text);
    if (event.kind !== 'run-ended') return;
    for (const done of this.#onRunEnd.splice(0)) done();
  }

  tell(item: Item): void {
    if (item.kind === 'prompt') {
      this.hasToken = false;
      this.lastPrompt = item.text;
    }
    const { width, theme, cwd } = this.#options;
    this.#print(item.kind, itemRows(item, { width: width(), theme: theme(), cwd }));
  }

  /** A line of ours. */
  say(level: 'info' | 'warning' | 'error', text: string): void {
    this.tell({ kind: 'line', level, text });
  }

  /** Rows as they are. */
  print(rows: readonly string[]): void {
    this.#last = undefined;
    this.#rows.push(rows);
  }

  /** Of the reply that is being written, what is not in the history yet: its last rows. */
  tail(width: number, most: number): readonly string[] {
    const { tail } = this.#splitter;
    if (this.#text === undefined || tail.trim() === '') return [];
    if (this.#tail?.text !== tail || this.#tail.width !== width) {
      this.#tail = { text: tail, width, rows: this.#replyRows(tail, width, !this.#text.isBegun) };
    }
    return this.#tail.rows.slice(-most);
  }

  /** Resolves at the end of the run under way. */
  runEnded(): Promise<void> {
    return new Promise((resolve) => this.#onRunEnd.push(resolve));
  }

  /** Resolves when everything so far is in the history. */
  settled(): Promise<void> {
    return this.#rows.settled();
  }

  #stream(index: number, piece: string): void {
    if (this.#text?.index !== index) {
      this.#endText();
      this.#text = { index, isBegun: false };
    }
    this.#printBlocks(this.#splitter.push(this.#inert.push(piece)));
  }

  #endText(): void {
    if (this.#text === undefined) return;
    this.#printBlocks(this.#splitter.push(this.#inert.end()));
    this.#printBlocks(this.#splitter.end());
    this.#text = undefined;
    this.#splitter = new BlockSplitter();
    this.#inert = new InertStream();
  }

  #printBlocks(blocks: readonly string[]): void {
    for (const block of blocks) {
      if (block.trim() === '' || this.#text === undefined) continue;
      const rows = this.#replyRows(block, this.#options.width(), !this.#text.isBegun);
      this.#text.isBegun = true;
      this.#print('text', rows);
    }
  }

  #replyRows(text: string, width: number, isFirst: boolean): readonly string[] {
    const theme = this.#options.theme();
    return replyRows(renderMarkdown(text, { width: width - 2, theme }), theme, isFirst);
  }

  #print(kind: Item['kind'], rows: readonly string[] | Promise<readonly string[]>): void {
    const gap = hasGap(this.#last, kind) ? [''] : [];
    this.#last = kind;
    this.#rows.push(rows instanceof Promise ? rows.then((made) => withGap(gap, made)) : withGap(gap, rows));
  }
}

function withGap(gap: readonly string[], rows: readonly string[]): readonly string[] {
  return rows.length === 0 ? rows : [...gap, ...rows];
}

/** What the person and the model say stands apart; what is done stands with it. */
function hasGap(last: Item['kind'] | undefined, next: Item['kind']): boolean {
  if (last === undefined) return next === 'prompt';
  return next === 'prompt' || next === 'text' || last === 'prompt';
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

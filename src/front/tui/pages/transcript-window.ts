/**
 * The part of a transcript that a page holds: the records around a position, as rows. A transcript of any size is read in
 * pieces, in both directions; distant pieces are dropped.
 */

import type { AgentEvent } from '../../../protocol/events.js';
import type { Item } from '../../view/items/item.js';
import { findRow } from './search-line.js';

type Recorded = { readonly seq: number; readonly event: AgentEvent };
export type TranscriptPiece = { readonly events: readonly Recorded[]; readonly from: number; readonly to: number };

/** Positions are bytes; a piece begins and ends with a record. */
export type TranscriptReader = {
  size(): Promise<number>;
  before(place: number, bytes: number): Promise<TranscriptPiece>;
  after(place: number, bytes: number): Promise<TranscriptPiece>;
  /** The position of the next record with the text, the one at `from` included when searching down. */
  find(text: string, from: number, way: 'up' | 'down'): Promise<number | undefined>;
};

export type TranscriptWindowOptions = {
  readonly reader: TranscriptReader;
  readonly newFold: () => { take(event: AgentEvent, seq: number | undefined): readonly Item[] };
  readonly rowsOf: (item: Item, width: number) => readonly string[] | Promise<readonly string[]>;
};

const PIECE_BYTES = 32 * 1024;
const MOST_PIECES = 8;
const MOST_CACHED = 2000;
/** Records that contain the text, but not in a visible part. */
const MOST_UNSEEN = 100;

type Block = { readonly from: number; readonly to: number; readonly rows: readonly string[] };

export class TranscriptWindow {
  readonly #options: TranscriptWindowOptions;
  #pieces: readonly TranscriptPiece[] = [];
  #blocks: readonly Block[] = [];
  #rows: readonly string[] = [];
  #width = 80;
  #cache = new Map<string, readonly string[]>();
  #size = 0;

  constructor(options: TranscriptWindowOptions) {
    this.#options = options;
  }

  get rows(): readonly string[] {
    return this.#rows;
  }

  get isAtStart(): boolean {
    return (this.#pieces[0]?.from ?? 0) === 0;
  }

  get isAtEnd(): boolean {
    return (this.#pieces.at(-1)?.to ?? 0) >= this.#size;
  }

  /** The relative position of a row in the whole, from 0 to 1. */
  shareAt(row: number): number {
    return this.#size === 0 ? 1 : Math.min(1, this.#placeOf(row) / this.#size);
  }

  async setWidth(width: number): Promise<void> {
    if (width === this.#width) return;
    this.#width = width;
    this.#cache.clear();
    await this.#layOut(this.#pieces);
  }

  async openEnd(): Promise<void> {
    this.#size = await this.#options.reader.size();
    await this.#layOut([await this.#options.reader.before(this.#size, PIECE_BYTES)]);
  }

  /** Returns the first row of the record. */
  async openAt(place: number): Promise<number> {
    const { reader } = this.#options;
    this.#size = await reader.size();
    const above = place <= 0 ? undefined : await reader.before(place, PIECE_BYTES);
    const start = above?.to ?? 0;
    const below = await reader.after(start, PIECE_BYTES);
    await this.#layOut(above === undefined ? [below] : [above, below]);
    return this.#rowAt(start);
  }

  /** `onMoved` receives the number of rows added above, as soon as they are there. */
  async extendUp(onMoved: (rows: number) => void): Promise<void> {
    const first = this.#pieces[0];
    if (first === undefined || first.from === 0) return;
    const piece = await this.#options.reader.before(first.from, PIECE_BYTES);
    if (piece.from >= first.from) return;
    await this.#layOut([piece, ...this.#pieces].slice(0, MOST_PIECES), () => onMoved(this.#rowAt(first.from)));
  }

  /** Also reads what is new at the end. `onMoved` receives the number of rows removed above, negative. False: no more. */
  async extendDown(onMoved: (rows: number) => void): Promise<boolean> {
    this.#size = await this.#options.reader.size();
    const last = this.#pieces.at(-1);
    const end = last?.to ?? 0;
    if (end >= this.#size) return false;
    const piece = await this.#options.reader.after(end, PIECE_BYTES);
    if (piece.to <= end) return false;
    const pieces = join(this.#pieces, piece);
    const gone = pieces.length <= MOST_PIECES ? 0 : this.#rowAt(pieces[1]?.from ?? 0);
    await this.#layOut(pieces.slice(-MOST_PIECES), () => onMoved(-gone));
    return true;
  }

  /** Goes to the next row with the text, wrapping around. Returns that row. */
  async find(text: string, from: number, way: 'up' | 'down'): Promise<number | undefined> {
    const near = findRow(this.#rows, text, from, way);
    if (near !== undefined) return near;
    const edge = way === 'down' ? this.#pieces.at(-1)?.to : this.#pieces[0]?.from;
    const further = await this.#seek(text, edge ?? 0, way);
    if (further !== undefined) return further;
    const isWhole = this.isAtStart && this.isAtEnd;
    if (isWhole) return findRow(this.#rows, text, way === 'down' ? 0 : this.#rows.length - 1, way);
    return this.#seek(text, way === 'down' ? 0 : this.#size, way);
  }

  async #seek(text: string, from: number, way: 'up' | 'down'): Promise<number | undefined> {
    let place = from;
    for (let tries = 0; tries < MOST_UNSEEN; tries += 1) {
      const found = await this.#options.reader.find(text, place, way);
      if (found === undefined) return undefined;
      const row = await this.openAt(found);
      const seen = findRow(this.#rows, text, row, 'down');
      if (seen !== undefined) return seen;
      place = way === 'down' ? (this.#pieces.at(-1)?.to ?? found + 1) : found;
    }
    return undefined;
  }

  async #layOut(pieces: readonly TranscriptPiece[], onDone?: () => void): Promise<void> {
    const fold = this.#options.newFold();
    const blocks: Block[] = [];
    for (const { events, from, to } of pieces) {
      const items = events.flatMap(({ event, seq }) => fold.take(event, seq));
      const rows = await Promise.all(items.map((item) => this.#rowsOf(item)));
      blocks.push({ from, to, rows: rows.flat() });
    }
    this.#pieces = pieces;
    this.#blocks = blocks;
    this.#rows = blocks.flatMap((block) => block.rows);
    onDone?.();
  }

  async #rowsOf(item: Item): Promise<readonly string[]> {
    const key = item.kind === 'call' ? `call ${item.call} ${item.ms}` : JSON.stringify(item);
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const rows = await this.#options.rowsOf(item, this.#width);
    if (this.#cache.size >= MOST_CACHED) this.#cache.clear();
    this.#cache.set(key, rows);
    return rows;
  }

  /** The first row of the piece that begins at the position. */
  #rowAt(place: number): number {
    let row = 0;
    for (const block of this.#blocks) {
      if (block.from >= place) return row;
      row += block.rows.length;
    }
    return row;
  }

  #placeOf(row: number): number {
    let left = row;
    for (const { from, to, rows } of this.#blocks) {
      if (left < rows.length) return from + ((to - from) * left) / rows.length;
      left -= rows.length;
    }
    return this.#size;
  }
}

/** Joins small pieces that arrive live. */
function join(pieces: readonly TranscriptPiece[], next: TranscriptPiece): readonly TranscriptPiece[] {
  const last = pieces.at(-1);
  if (last === undefined || next.to - last.from > PIECE_BYTES) return [...pieces, next];
  return [...pieces.slice(0, -1), { events: [...last.events, ...next.events], from: last.from, to: next.to }];
}

/**
 * Reads the lines of one transcript file as records, a piece at a time. Whatever is wrong is an item too: nothing is
 * thrown, nothing is changed, and a damaged line hides no other.
 */

import type { Files, ReadHandle } from '../../host/files.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { checkEvent } from '../state/reduce.js';
import { decodeRecord, type TranscriptRecord, type UnknownRecord } from './record.js';

export type AnyRecord = TranscriptRecord | UnknownRecord;

type RecordPosition = { readonly segment: number; readonly at: number; readonly bytes: number };

export type RecordItem = RecordPosition & { readonly kind: 'record'; readonly record: AnyRecord };

export type ReadItem =
  | RecordItem
  /** Skipped; what follows was read. */
  | (RecordPosition & { readonly kind: 'damaged'; readonly reason: string })
  /** What stands after the last whole line: a record that was never finished, or zeros. */
  | (RecordPosition & { readonly kind: 'tail'; readonly zeros: boolean })
  /** The file could not be read to its end: what came is not all there is. */
  | { readonly kind: 'unreadable'; readonly segment: number; readonly reason: string };

export type SegmentOptions = {
  /** Records of other kinds are passed over unread, where that can be seen from their beginning. */
  readonly kinds?: ReadonlySet<string>;
  /** A longer line is skipped. */
  readonly maxLineBytes?: number;
};

const CHUNK = 1024 * 1024;
const MAX_LINE = 64 * 1024 * 1024;
const NEWLINE = 0x0a;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

export async function* readSegment(
  files: Files,
  path: string,
  segment: number,
  options: SegmentOptions = {},
): AsyncGenerator<ReadItem, void, undefined> {
  let handle: ReadHandle;
  try {
    handle = await files.openRead(path);
  } catch (error) {
    yield { kind: 'unreadable', segment, reason: reasonOf(error) };
    return;
  }
  try {
    yield* readLines(handle, segment, options);
  } finally {
    await handle.close().catch(() => {});
  }
}

async function* readLines(
  handle: ReadHandle,
  segment: number,
  options: SegmentOptions,
): AsyncGenerator<ReadItem, void, undefined> {
  const line = new OpenLine(options.maxLineBytes ?? MAX_LINE);
  let position = 0;
  for (;;) {
    let chunk: Buffer;
    try {
      chunk = await handle.read(position, CHUNK);
    } catch (error) {
      yield { kind: 'unreadable', segment, reason: reasonOf(error) };
      return;
    }
    if (chunk.length === 0) break;
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, from);
      if (newline < 0) break;
      line.add(chunk.subarray(from, newline));
      from = newline + 1;
      yield* line.finish(segment, position + from, options.kinds);
    }
    line.add(chunk.subarray(from));
    position += chunk.length;
  }
  if (line.length > 0) {
    yield { kind: 'tail', segment, at: position - line.length, bytes: line.length, zeros: line.onlyZeros };
  }
}

/** A line whose end has not been seen yet. */
class OpenLine {
  length = 0;
  onlyZeros = true;
  #pieces: Buffer[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.length += piece.length;
    this.onlyZeros &&= piece.every((byte) => byte === 0);
    // Beyond the limit it is only counted.
    if (this.length > this.#limit) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  /** The line ended at `end`, its newline included. */
  *finish(segment: number, end: number, kinds: ReadonlySet<string> | undefined): Generator<ReadItem> {
    const bytes = this.length + 1;
    const place = { segment, at: end - bytes, bytes };
    const tooLong = this.length > this.#limit;
    const whole = this.#pieces.length === 1 ? (this.#pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#pieces);
    this.length = 0;
    this.onlyZeros = true;
    this.#pieces = [];
    if (tooLong) {
      yield { kind: 'damaged', ...place, reason: `a line of ${bytes} bytes, too long for a record` };
      return;
    }
    const text = place.at === 0 && whole.subarray(0, 3).equals(BOM) ? whole.subarray(3) : whole;
    if (isBlank(text) || (kinds !== undefined && isOther(text, kinds))) return;
    yield* readLine(text, place);
  }
}

function* readLine(line: Buffer, place: RecordPosition): Generator<ReadItem> {
  const record = decodeRecord(line);
  if (record !== undefined) {
    yield checked(record, place);
    return;
  }
  // Part of a record that was never finished, and a whole one glued to it: the last whole one counts.
  for (let at = line.indexOf(RECORD_START, 1), tries = 0; at > 0 && tries < 64; tries += 1) {
    const glued = decodeRecord(line.subarray(at));
    if (glued !== undefined) {
      yield { kind: 'damaged', ...place, bytes: at, reason: 'part of a record, glued to the next' };
      yield checked(glued, { ...place, at: place.at + at, bytes: place.bytes - at });
      return;
    }
    at = line.indexOf(RECORD_START, at + 1);
  }
  yield { kind: 'damaged', ...place, reason: 'not a record' };
}

/** Inside a string the quote would be escaped, so these bytes begin an object. */
const RECORD_START = Buffer.from('{"v":');

function checked(record: AnyRecord, place: RecordPosition): ReadItem {
  const reason = 'event' in record ? checkEvent(record.event) : undefined;
  return reason === undefined ? { kind: 'record', ...place, record } : { kind: 'damaged', ...place, reason };
}

/** Whether the line is surely of a kind that isn't wanted; our own writer puts the kind right after the head. */
function isOther(line: Buffer, kinds: ReadonlySet<string>): boolean {
  const kind = peekKind(line);
  return kind !== undefined && !kinds.has(kind);
}

/** The kind of the record whose beginning this is. */
export function peekKind(line: Buffer): string | undefined {
  return HEAD.exec(line.toString('latin1', 0, 400))?.[1];
}

const HEAD = /^\{"v":1,"seq":\d+,"uuid":"[^"\\]*","parent":(?:null|"[^"\\]*"),"ts":"[^"\\]*","kind":"([a-z-]+)"/;

function isBlank(line: Buffer): boolean {
  return line.length < 3 && line.toString('latin1').trim() === '';
}

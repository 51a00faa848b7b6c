/**
 * Reads one transcript file as records, chunk by chunk. Every problem is an item too: nothing is thrown, nothing is
 * changed, and a damaged line does not hide the others.
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
  /** Skipped; the lines after it were read. */
  | (RecordPosition & { readonly kind: 'damaged'; readonly reason: string })
  /** The bytes after the last whole line: an unfinished record, or zeros. */
  | (RecordPosition & { readonly kind: 'tail'; readonly zeros: boolean })
  /** The file could not be read to its end, so the items are not complete. */
  | { readonly kind: 'unreadable'; readonly segment: number; readonly reason: string };

export type SegmentOptions = {
  /** Skip records of other kinds, where their beginning shows the kind. */
  readonly kinds?: ReadonlySet<string>;
  /** Skip longer lines. */
  readonly maxLineBytes?: number;
  /** Start at this byte, which starts a line. */
  readonly start?: number;
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
  let position = options.start ?? 0;
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

/** A line whose end has not been reached. */
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
    // Beyond the limit, only count the bytes.
    if (this.length > this.#limit) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  /** The line ended at `end`, including its newline. */
  *finish(segment: number, end: number, kinds: ReadonlySet<string> | undefined): Generator<ReadItem> {
    const bytes = this.length + 1;
    const position = { segment, at: end - bytes, bytes };
    const tooLong = this.length > this.#limit;
    const whole = this.#pieces.length === 1 ? (this.#pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#pieces);
    this.length = 0;
    this.onlyZeros = true;
    this.#pieces = [];
    if (tooLong) {
      yield { kind: 'damaged', ...position, reason: `a line of ${bytes} bytes, too long for a record` };
      return;
    }
    const text = position.at === 0 && whole.subarray(0, 3).equals(BOM) ? whole.subarray(3) : whole;
    if (isBlank(text) || (kinds !== undefined && isOther(text, kinds))) return;
    yield* readLine(text, position);
  }
}

function* readLine(line: Buffer, position: RecordPosition): Generator<ReadItem> {
  const record = decodeRecord(line);
  if (record !== undefined) {
    yield checked(record, position);
    return;
  }
  // Part of an unfinished record with a whole one appended: keep the last whole one.
  for (let at = line.indexOf(RECORD_START, 1), tries = 0; at > 0 && tries < 64; tries += 1) {
    const glued = decodeRecord(line.subarray(at));
    if (glued !== undefined) {
      yield { kind: 'damaged', ...position, bytes: at, reason: 'part of a record, glued to the next' };
      yield checked(glued, { ...position, at: position.at + at, bytes: position.bytes - at });
      return;
    }
    at = line.indexOf(RECORD_START, at + 1);
  }
  yield { kind: 'damaged', ...position, reason: 'not a record' };
}

/** Inside a string the quote would be escaped, so these bytes always begin an object. */
const RECORD_START = Buffer.from('{"v":');

function checked(record: AnyRecord, position: RecordPosition): ReadItem {
  const reason = 'event' in record ? checkEvent(record.event) : undefined;
  return reason === undefined ? { kind: 'record', ...position, record } : { kind: 'damaged', ...position, reason };
}

/** True only if the line is certainly of another kind; our writer puts the kind right after the head. */
function isOther(line: Buffer, kinds: ReadonlySet<string>): boolean {
  const kind = peekKind(line);
  return kind !== undefined && !kinds.has(kind);
}

/** Kind of the record that starts with these bytes. */
export function peekKind(line: Buffer): string | undefined {
  return HEAD.exec(line.toString('latin1', 0, 400))?.[1];
}

const HEAD = /^\{"v":1,"seq":\d+,"uuid":"[^"\\]*","parent":(?:null|"[^"\\]*"),"ts":"[^"\\]*","kind":"([a-z-]+)"/;

function isBlank(line: Buffer): boolean {
  return line.length < 3 && line.toString('latin1').trim() === '';
}

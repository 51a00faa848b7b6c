/**
 * Reads parts of a transcript by position, while it is being written. Positions count the bytes of all segments in order;
 * records that a segment repeats are returned once. Reads only what is requested, extended to whole lines.
 */

import type { Files, ReadHandle } from '../../host/files.js';
import { type FrozenBlock, parseBlock } from '../../protocol/frozen-block.js';
import { findRepeats, NO_REPEATS, type Repeats } from './find-repeats.js';
import { decodeRecord } from './record.js';
import { segmentPath } from './transcript.js';
import { linesIn, readLineHead, type TranscriptLine } from './transcript-lines.js';
import type { PositionedEvent, TranscriptPart } from './transcript-part.js';

/** The position of a segment, and which of its records are returned. */
type Segment = {
  readonly index: number;
  readonly start: number;
  readonly size: number;
  readonly repeats: Repeats;
};

const CHUNK = 64 * 1024;
/** The number of bytes that a search reads at a time. */
const SEARCHED = 1024 * 1024;
const NEWLINE = 0x0a;
/** Longer lines are skipped. */
const MOST_LINE = 64 * 1024 * 1024;

export class IndexedTranscript {
  readonly #files: Files;
  readonly #path: string | undefined;
  /** Segments that are followed by another one and no longer change. */
  #finished: readonly Segment[] = [];

  /** Without a path there is nothing to read. */
  constructor(files: Files, path: string | undefined) {
    this.#files = files;
    this.#path = path;
  }

  async size(): Promise<number> {
    const last = (await this.#segments()).at(-1);
    return last === undefined ? 0 : last.start + last.size;
  }

  async before(place: number, bytes: number): Promise<TranscriptPart> {
    const segments = await this.#segments();
    let to: number | undefined;
    let from = Math.max(0, place);
    let damaged = 0;
    for (const segment of segments.toReversed()) {
      if (segment.start >= from && segment.start > 0) continue;
      const found = await this.#in(segment, async (handle) => {
        let end = await lineStart(handle, Math.min(from - segment.start, segment.size));
        to ??= segment.start + end;
        while (end > 0) {
          const start = await lineStart(handle, Math.max(0, end - Math.max(1, bytes)), end);
          from = segment.start + start;
          const part = await this.#read(handle, segment, start, end);
          damaged += part.damaged;
          if (part.events.length > 0) return part.events;
          end = start;
        }
        from = segment.start;
        return undefined;
      });
      if (found !== undefined) return { events: found, from, to: to ?? from, damaged };
    }
    return { events: [], from: 0, to: to ?? 0, damaged };
  }

  async after(place: number, bytes: number): Promise<TranscriptPart> {
    const segments = await this.#segments();
    let from: number | undefined;
    let to = Math.max(0, place);
    let damaged = 0;
    for (const segment of segments) {
      if (segment.start + segment.size <= to) continue;
      const found = await this.#in(segment, async (handle) => {
        let start = await lineStart(handle, Math.max(0, to - segment.start));
        from ??= segment.start + start;
        for (;;) {
          const end = await lineEnd(handle, start + Math.max(1, bytes), segment.size);
          if (end === undefined || end <= start) break;
          to = segment.start + end;
          const part = await this.#read(handle, segment, start, end);
          damaged += part.damaged;
          if (part.events.length > 0) return part.events;
          start = end;
        }
        return undefined;
      });
      if (found !== undefined) return { events: found, from: from ?? to, to, damaged };
    }
    return { events: [], from: from ?? to, to: Math.max(to, from ?? to), damaged };
  }

  /** The position of the next record with the text: at `place` or below, or above it. */
  async find(text: string, place: number, way: 'up' | 'down', signal?: AbortSignal): Promise<number | undefined> {
    const hasText = findText(text);
    if (hasText === undefined) return undefined;
    const segments = await this.#segments();
    for (const segment of way === 'down' ? segments : segments.toReversed()) {
      const isPassed = way === 'down' ? segment.start + segment.size <= place : segment.start >= place;
      if (isPassed) continue;
      const found = await this.#in(segment, (handle) =>
        this.#findIn(handle, segment, { hasText, at: place - segment.start, way, signal }),
      );
      if (found !== undefined || signal?.aborted) return found;
    }
    return undefined;
  }

  async #findIn(
    handle: ReadHandle,
    segment: Segment,
    { hasText, at, way, signal }: Search,
  ): Promise<number | undefined> {
    const matches = (line: TranscriptLine) =>
      (way === 'down' ? line.at >= at : line.at < at) && isSeen(segment, line) && hasText(line.bytes);
    let edge = way === 'down' ? await lineStart(handle, Math.max(0, at)) : segment.size;
    if (way === 'up') edge = (await lineEnd(handle, Math.min(at, segment.size), segment.size)) ?? edge;
    while (!signal?.aborted) {
      const start = way === 'down' ? edge : await lineStart(handle, Math.max(0, edge - SEARCHED), edge);
      const end = way === 'down' ? await lineEnd(handle, start + SEARCHED, segment.size) : edge;
      if (end === undefined || end <= start) return undefined;
      const lines = await readLines(handle, start, end);
      const found = way === 'down' ? lines.find(matches) : lines.findLast(matches);
      if (found !== undefined) return segment.start + found.at;
      edge = way === 'down' ? end : start;
    }
    return undefined;
  }

  /** `start` and `end` are at line boundaries. */
  async #read(handle: ReadHandle, segment: Segment, start: number, end: number) {
    const events: PositionedEvent[] = [];
    let damaged = 0;
    const lines = await readLines(handle, start, end);
    const next = await readLineHead(handle, end, segment.size);
    for (const [index, line] of lines.entries()) {
      if (!isSeen(segment, line)) continue;
      if (line.record === undefined) {
        if (!line.isBlank) damaged += 1;
        continue;
      }
      // Written again after a failed attempt: the later one is used.
      const follower = lines[index + 1]?.record ?? (index === lines.length - 1 ? next : undefined);
      const { seq, ts } = line.record;
      if (follower?.seq === seq && follower.parent === line.record.parent) continue;
      if ('event' in line.record) events.push({ seq, event: line.record.event, ts, place: segment.start + line.at });
    }
    return { events, damaged };
  }

  /** The current segments. The last one, which is still written, is inspected each time. */
  async #segments(): Promise<readonly Segment[]> {
    const path = this.#path;
    if (path === undefined) return [];
    for (let known = this.#finished; ; this.#finished = known) {
      const before = known.at(-1);
      const start = before === undefined ? 0 : before.start + before.size;
      const hidden = before?.repeats.inNext ?? NO_REPEATS.inNext;
      const file = segmentPath(path, known.length);
      const next = segmentPath(path, known.length + 1);
      // The next one first: once it exists, this one no longer grows.
      const hasNext = (await this.#files.stat(next)) !== undefined;
      const found = await this.#files.stat(file);
      if (found === undefined) return known;
      const own = { index: known.length, start, size: found.size };
      const repeats = hasNext ? await findRepeats(this.#files, file, next) : undefined;
      if (repeats === undefined) return [...known, { ...own, repeats: { ...NO_REPEATS, hidden } }];
      known = [...known, { ...own, repeats: { ...repeats, hidden } }];
    }
  }

  async #in<T>({ index }: Segment, work: (handle: ReadHandle) => Promise<T>): Promise<T> {
    const handle = await this.#files.openRead(segmentPath(this.#path ?? '', index));
    try {
      return await work(handle);
    } finally {
      await handle.close().catch(() => {});
    }
  }
}

type Search = {
  readonly hasText: (line: Buffer) => boolean;
  readonly at: number;
  readonly way: 'up' | 'down';
  readonly signal: AbortSignal | undefined;
};

function isSeen({ repeats: { seenTo, hidden } }: Segment, { at, seq }: TranscriptLine): boolean {
  return at < seenTo && (seq === undefined || !hidden.has(seq));
}

async function readLines(handle: ReadHandle, start: number, end: number): Promise<readonly TranscriptLine[]> {
  if (end - start > MOST_LINE + SEARCHED)
    return [{ at: start, bytes: Buffer.alloc(0), isBlank: false, seq: undefined, record: undefined }];
  return linesIn(await readAll(handle, start, end), start);
}

/** Returns fewer bytes if the file was cut meanwhile. */
async function readAll(handle: ReadHandle, start: number, end: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = start; at < end; ) {
    const piece = await handle.read(at, end - at);
    if (piece.length === 0) break;
    pieces.push(piece);
    at += piece.length;
  }
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
}

/** The start of the line that contains `at`, which may be `at` itself. Never `not`. */
async function lineStart(handle: ReadHandle, at: number, not = Number.POSITIVE_INFINITY): Promise<number> {
  let end = Math.min(at, not - 1);
  while (end > 0) {
    const from = Math.max(0, end - CHUNK);
    const newline = (await handle.read(from, end - from)).lastIndexOf(NEWLINE);
    if (newline >= 0) return from + newline + 1;
    end = from;
  }
  return 0;
}

/**
 * The end of the last line that starts before `at`, if it is whole; otherwise of the one before it. Undefined: there is
 * none.
 */
async function lineEnd(handle: ReadHandle, at: number, size: number): Promise<number | undefined> {
  for (let from = Math.max(0, at - 1); from < size; from += CHUNK) {
    const newline = (await handle.read(from, Math.min(CHUNK, size - from))).indexOf(NEWLINE);
    if (newline >= 0) return from + newline + 1;
  }
  const last = await lineStart(handle, size);
  return last > 0 ? last : undefined;
}

/** Undefined for an empty text. */
function findText(text: string): ((line: Buffer) => boolean) | undefined {
  const sought = text.toLowerCase();
  if (sought === '') return undefined;
  const written = JSON.stringify(sought).slice(1, -1);
  return (line) => {
    const raw = line.toString('utf8').toLowerCase();
    // Blocks are stored as received: a line with other escapes is decoded before it is skipped.
    if (!raw.includes(written) && !/\\u|\\\//.test(raw)) return false;
    const record = decodeRecord(line);
    if (record === undefined || !('event' in record)) return false;
    return shownIn(record.event as unknown as Shown).some((shown) => shown.toLowerCase().includes(sought));
  };
}

type Shown = Readonly<Record<string, unknown>> & { readonly blocks?: readonly FrozenBlock[] };

function shownIn({ blocks = [], line, text, command, description, prompt }: Shown): readonly string[] {
  const own = [line, text, command, description, prompt].filter((one) => typeof one === 'string');
  return [...own, ...blocks.flatMap((block) => stringsIn(parseBlock(block)))];
}

/** Ids, signatures and images are not text. */
const UNSHOWN = new Set(['type', 'id', 'tool_use_id', 'signature', 'data', 'media_type', 'source', 'cache_control']);

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => (UNSHOWN.has(key) ? [] : stringsIn(one)));
}

/**
 * Reads the records of a transcript in order, from all segments, each once. Reading changes nothing; `repairTail`
 * prepares a transcript for writing.
 */

import { dirname } from 'node:path';
import type { Files } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import { type ReadItem, type RecordItem, readSegment, type SegmentOptions } from './read-segment.js';
import { segmentPath, segmentsOf } from './transcript.js';

export type TranscriptItem =
  | ReadItem
  | { readonly kind: 'missing'; readonly path: string }
  /** Reading from `after` on would differ from reading all: an earlier record is repeated or rewritten. */
  | { readonly kind: 'overtaken' };

export type ReadTranscriptOptions = Pick<SegmentOptions, 'kinds'> & {
  /** Begin after this record. */
  readonly after?: { readonly seq: number; readonly segment: number; readonly at: number; readonly bytes: number };
};

/** Records that a segment may repeat are held back up to this size. */
const MAX_HELD = 64 * 1024 * 1024;

export async function* readTranscript(
  files: Files,
  path: string,
  options: ReadTranscriptOptions = {},
): AsyncGenerator<TranscriptItem, void, undefined> {
  let segments: readonly string[];
  try {
    segments = await segmentsOf(files, path);
  } catch (error) {
    yield { kind: 'unreadable', segment: 0, reason: reasonOf(error) };
    return;
  }
  if (segments.length === 0) yield { kind: 'missing', path };
  else yield* withoutRepeats(joinSegments(files, segments, options), options.after?.seq ?? Number.NEGATIVE_INFINITY);
}

/** A new segment starts with the unsynced records of the one before. Its copy wins if it is complete. */
async function* joinSegments(
  files: Files,
  segments: readonly string[],
  { after, ...options }: ReadTranscriptOptions,
): AsyncGenerator<ReadItem, void, undefined> {
  let held: RecordItem[] = [];
  let heldBytes = 0;
  for (const [segment, path] of segments.entries()) {
    if (segment < (after?.segment ?? 0)) continue;
    const start = segment === after?.segment ? after.at + after.bytes : 0;
    const again = await firstNumber(files, segments[segment + 1], segment + 1);
    for await (const item of readSegment(files, path, segment, { ...options, start })) {
      if (item.kind !== 'record') {
        yield item;
        continue;
      }
      const { seq } = item.record;
      if (held.length > 0) {
        yield* held.filter((one) => one.segment < segment && one.record.seq < seq);
        held = held.filter((one) => one.segment === segment || one.record.seq > seq);
      }
      if (seq < again || heldBytes > MAX_HELD) {
        yield item;
        continue;
      }
      heldBytes = held.length === 0 ? item.bytes : heldBytes + item.bytes;
      held.push(item);
    }
    held.sort((a, b) => a.record.seq - b.record.seq);
  }
  yield* held;
}

async function firstNumber(files: Files, path: string | undefined, segment: number): Promise<number> {
  if (path === undefined) return Number.POSITIVE_INFINITY;
  for await (const item of readSegment(files, path, segment)) {
    if (item.kind === 'record') return item.record.seq;
  }
  return Number.POSITIVE_INFINITY;
}

/**
 * A record rewritten after a failed attempt follows the failed one, with the same number: the later one wins. Repeated
 * records are dropped; records out of order are reported.
 */
async function* withoutRepeats(
  items: AsyncIterable<ReadItem>,
  after: number,
): AsyncGenerator<TranscriptItem, void, undefined> {
  const seen = new Set<string>();
  let last: RecordItem | undefined;
  /** Items after it that are not records. */
  let since: ReadItem[] = [];
  for await (const item of items) {
    if (item.kind !== 'record') {
      since.push(item);
      continue;
    }
    const { record } = item;
    if (record.seq <= after) {
      yield { kind: 'overtaken' };
      return;
    }
    if (seen.has(record.uuid)) continue;
    seen.add(record.uuid);
    if (seen.size > REMEMBERED) forgetOldest(seen);
    if (last === undefined) {
      yield* since;
      since = [];
      last = item;
      continue;
    }
    const before = last.record;
    if (record.seq === before.seq && record.parent === before.parent) {
      since.push(outOfOrder(last, 'rewritten right after'));
      last = item;
    } else if (record.seq > before.seq || record.parent === before.uuid) {
      // A single wrong number must not hide all records after it.
      yield last;
      yield* since;
      since = [];
      last = item;
    } else {
      since.push(outOfOrder(item, 'it comes after a later one'));
    }
  }
  if (last !== undefined) yield last;
  yield* since;
}

const REMEMBERED = 10_000;

function forgetOldest(seen: Set<string>): void {
  for (const oldest of seen) {
    seen.delete(oldest);
    return;
  }
}

function outOfOrder({ segment, at, bytes, record }: RecordItem, reason: string): ReadItem {
  return { kind: 'damaged', segment, at, bytes, reason: `record ${record.seq} left out: ${reason}` };
}

export type TailRepair = Result<{ readonly setAside?: { readonly path: string; readonly bytes: number } }>;

const CHUNK = 1024 * 1024;

/**
 * Call before writing: moves everything after the last whole line of the last segment to a file next to it, `….tail-1`.
 * The caller holds the session's lock.
 */
export async function repairTail({ files }: Host, path: string): Promise<TailRepair> {
  try {
    const segments = await segmentsOf(files, path);
    if (segments.length === 0) return { ok: true };
    const file = segmentPath(path, segments.length - 1);
    const { end, size } = await findEnd(files, file);
    if (end === size) return { ok: true };
    const aside = await freeName(files, file);
    await copyPart(files, file, end, size, aside);
    await files.syncFolder(dirname(aside));
    const handle = await files.openAppend(file);
    try {
      await handle.cut(end);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return { ok: true, setAside: { path: aside, bytes: size - end } };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
}

/** Finds the end of the last whole line. */
async function findEnd(files: Files, file: string): Promise<{ end: number; size: number }> {
  const handle = await files.openRead(file);
  try {
    const { size } = await handle.stat();
    let start = size;
    while (start > 0) {
      const from = Math.max(0, start - CHUNK);
      const newline = (await handle.read(from, start - from)).lastIndexOf(0x0a);
      if (newline >= 0) return { end: from + newline + 1, size };
      start = from;
    }
    return { end: 0, size };
  } finally {
    await handle.close();
  }
}

async function freeName(files: Files, file: string): Promise<string> {
  for (let n = 1; ; n += 1) {
    const name = `${file}.tail-${n}`;
    if ((await files.lstat(name)) === undefined) return name;
  }
}

async function copyPart(files: Files, file: string, start: number, end: number, to: string): Promise<void> {
  const source = await files.openRead(file);
  try {
    const target = await files.openAppend(to);
    try {
      for (let at = start; at < end; ) {
        let piece: Uint8Array = await source.read(at, Math.min(CHUNK, end - at));
        if (piece.length === 0) throw new Error(`${file} became shorter while it was read`);
        at += piece.length;
        while (piece.length > 0) {
          const written = await target.write(piece);
          if (written === 0) throw new Error(`${to} accepts no more bytes`);
          piece = piece.subarray(written);
        }
      }
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

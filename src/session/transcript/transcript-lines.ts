/** Lines of a part of a transcript, with the records in them. */

import type { ReadHandle } from '../../host/files.js';
import { checkEvent } from '../state/reduce.js';
import type { AnyRecord } from './read-segment.js';
import { decodeRecord } from './record.js';

export type TranscriptLine = {
  /** Its start, relative to the segment. */
  readonly at: number;
  readonly bytes: Buffer;
  readonly isBlank: boolean;
  /** The number of its record, even if the rest is damaged. */
  readonly seq: number | undefined;
  /** Decoded on first access; undefined if it is damaged. */
  readonly record: AnyRecord | undefined;
};

const NEWLINE = 0x0a;
const BOM = 0xef;

/** `bytes` starts with a line. An incomplete last line is left out. */
export function linesIn(bytes: Buffer, start: number): readonly TranscriptLine[] {
  const lines: TranscriptLine[] = [];
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, from);
    if (newline < 0) break;
    lines.push(lineOf(bytes.subarray(from, newline), start + from));
    from = newline + 1;
  }
  return lines;
}

function lineOf(given: Buffer, at: number): TranscriptLine {
  const bytes = at === 0 && given[0] === BOM ? given.subarray(3) : given;
  let decoded: { readonly record: AnyRecord | undefined } | undefined;
  return {
    at,
    bytes,
    isBlank: bytes.length < 3 && bytes.toString('latin1').trim() === '',
    seq: headOf(bytes)?.seq,
    get record() {
      decoded ??= { record: readRecord(bytes) };
      return decoded.record;
    },
  };
}

function readRecord(bytes: Buffer): AnyRecord | undefined {
  const record = decodeRecord(bytes);
  if (record === undefined) {
    // Part of an unfinished record with a whole one appended.
    const glued = bytes.lastIndexOf('{"v":');
    return glued > 0 ? readRecord(bytes.subarray(glued)) : undefined;
  }
  return 'event' in record && checkEvent(record.event) !== undefined ? undefined : record;
}

type Head = { readonly seq: number; readonly parent: string | null };

const HEAD = /^\{"v":\d+,"seq":(\d+),"uuid":"[^"\\]*","parent":(?:null|"([^"\\]*)")/;
const HEAD_BYTES = 400;

/** Our writer puts the number first. */
function headOf(bytes: Buffer): Head | undefined {
  const match = HEAD.exec(bytes.toString('latin1', 0, HEAD_BYTES));
  return match === null ? undefined : { seq: Number(match[1]), parent: match[2] ?? null };
}

/** The head of the line that starts at `at`. */
export async function readLineHead(handle: ReadHandle, at: number, size: number): Promise<Head | undefined> {
  return at < size ? headOf(await handle.read(at, Math.min(HEAD_BYTES, size - at))) : undefined;
}

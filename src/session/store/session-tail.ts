/** Reads the status of a session from the end of its transcript. */

import type { ReadHandle } from '../../host/files.js';
import type { RunEndReason } from '../../protocol/events.js';
import { peekKind } from '../transcript/read-segment.js';
import { decodeRecord } from '../transcript/record.js';

export type SessionTail = {
  /** How its last run ended; undefined if it was cut off or is still active. */
  readonly ended: RunEndReason | undefined;
  /** Model of the last epoch, if it began near the end. */
  readonly model: string | undefined;
  /** When the last record was written, by the clock at that time. */
  readonly ts: string | undefined;
  /** True if there are bytes after the last whole record. */
  readonly torn: boolean;
};

export const TAIL_BYTES = 64 * 1024;
/** Records larger than this are not searched for. */
const MAX_TAIL = 64 * 1024 * 1024;
const NEWLINE = 0x0a;
/** The number of records to inspect, from the end. */
const LOOK_BACK = 64;

export async function readTail(handle: ReadHandle, size: number, whole?: Buffer): Promise<SessionTail> {
  let length = Math.min(size, TAIL_BYTES);
  for (;;) {
    const buffer = whole ?? (await handle.read(size - length, length));
    const lines = wholeLines(buffer, length === size);
    if (lines.length > 0 || length === size || length >= MAX_TAIL) {
      return { ...describe(lines), torn: buffer.length > 0 && buffer.at(-1) !== NEWLINE };
    }
    length = Math.min(size, length * 4);
  }
}

/** Last line first. The first line of the buffer may be cut off unless the buffer starts with the file. */
function wholeLines(buffer: Buffer, fromStart: boolean): Buffer[] {
  const lines: Buffer[] = [];
  let end = buffer.lastIndexOf(NEWLINE);
  while (end > 0 && lines.length < LOOK_BACK) {
    const before = buffer.lastIndexOf(NEWLINE, end - 1);
    if (before < 0 && !fromStart) break;
    lines.push(buffer.subarray(before + 1, end));
    end = before;
  }
  return lines;
}

function describe(lines: readonly Buffer[]): Omit<SessionTail, 'torn'> {
  let ended: RunEndReason | undefined;
  let model: string | undefined;
  let ts: string | undefined;
  let open = true;
  for (const line of lines) {
    ts ??= TS.exec(line.toString('latin1', 0, 300))?.[1];
    const kind = peekKind(line);
    if (open && kind !== undefined && WORK.has(kind) && !isAside(line)) open = false;
    if (kind !== 'run-ended' && kind !== 'epoch-started') continue;
    const record = decodeRecord(line);
    if (record === undefined || !('event' in record)) continue;
    if (record.event.kind === 'run-ended' && open) {
      ended = record.event.reason;
      open = false;
    }
    if (record.event.kind === 'epoch-started') {
      model = record.event.base?.model ?? record.event.model;
      break;
    }
  }
  return { ended, model, ts };
}

/** A call of a client is not a run. */
function isAside(line: Buffer): boolean {
  return line.toString('latin1', 0, 500).includes('"aside":true');
}

/** If one of these is last, a run was active. */
const WORK = new Set(['turn-started', 'assistant-replied', 'call-intended', 'call-finished', 'message-joined']);
const TS = /"ts":"([^"\\]*)"/;

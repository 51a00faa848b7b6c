/** Reads the start of a session from its transcript: the first record and the beginning of the prompt. */

import type { ReadHandle } from '../../host/files.js';
import type { SessionStarted } from '../../protocol/events.js';
import { peekKind } from '../transcript/read-segment.js';
import { decodeRecord } from '../transcript/record.js';

export type SessionHead = {
  readonly started: SessionStarted;
  readonly ts: string;
  /** Beginning of the first prompt; empty if none was found. */
  readonly prompt: string;
};

export const HEAD_BYTES = 16 * 1024;
/** How far to search for the first prompt past reminders. Beyond it, the session is shown without one. */
const MAX_SCAN = 4 * 1024 * 1024;
const PROMPT_CHARS = 200;
/** Enough of a prompt's record for its beginning, however it is escaped. */
const PROMPT_BYTES = 4 * 1024;
const NEWLINE = 0x0a;

/** `buffer`: the start of the file; `size`: its length. Returns a reason as a string if it is not a session. */
export async function readHead(handle: ReadHandle, buffer: Buffer, size: number): Promise<SessionHead | string> {
  const scan = new Scan(handle, buffer, size);
  const first = await scan.line(HEAD_BYTES);
  if (first === undefined) return size === 0 ? 'it is empty' : 'its first record is missing or damaged';
  const record = decodeRecord(stripBom(first));
  if (record === undefined || !('event' in record) || record.event.kind !== 'session-started') {
    return 'its first record is missing or damaged';
  }
  return { started: record.event, ts: record.ts, prompt: await findPrompt(scan) };
}

async function findPrompt(scan: Scan): Promise<string> {
  for (;;) {
    const line = await scan.line(PROMPT_BYTES);
    if (line === undefined) return '';
    if (peekKind(line) === 'input-admitted' && line.includes(FROM_PERSON)) return firstWords(line);
  }
}

const FROM_PERSON = '"origin":"person"';

/** The record may be cut off anywhere: uses the string as far as it goes. */
function firstWords(line: Buffer): string {
  const text = line.toString('utf8');
  const match = /"blocks":\[.*?"type":"text","text":"((?:[^"\\]|\\.)*)/s.exec(text);
  if (match === null) return /"type":"(image|document)"/.exec(text)?.[1]?.replace(/^.*$/, '[$&]') ?? '';
  const escaped = (match[1] ?? '').slice(0, PROMPT_CHARS * 6).replace(/\\u?[0-9a-fA-F]{0,3}$/, '');
  try {
    const value: unknown = JSON.parse(`"${escaped}"`);
    const plain = String(value)
      .toWellFormed()
      .replace(/\s+/g, ' ')
      .replace(/\uFFFD+$/, '')
      .trim();
    return plain.length > PROMPT_CHARS ? `${[...plain].slice(0, PROMPT_CHARS - 1).join('')}…` : plain;
  } catch {
    return '';
  }
}

/** Iterates over lines, reading only the beginning of each. */
class Scan {
  readonly #handle: ReadHandle;
  readonly #size: number;
  /** The last chunk read, and its position in the file. */
  #buffer: Buffer;
  #start = 0;
  #at = 0;
  /** The end of the last line was not reached yet; it is searched for only if another line is requested. */
  #isInside = false;

  constructor(handle: ReadHandle, buffer: Buffer, size: number) {
    this.#handle = handle;
    this.#buffer = buffer;
    this.#size = size;
  }

  /** The first `keep` bytes of the next line, or all of it; undefined at the end or after MAX_SCAN bytes. */
  async line(keep: number): Promise<Buffer | undefined> {
    if (this.#isInside) await this.#skipLine();
    if (this.#at >= this.#size || this.#at > MAX_SCAN) return undefined;
    if (this.#at - this.#start + keep > this.#buffer.length && this.#start + this.#buffer.length < this.#size) {
      await this.#load(this.#at, HEAD_BYTES);
    }
    const from = this.#at - this.#start;
    const end = this.#buffer.indexOf(NEWLINE, from);
    const beginning = this.#buffer.subarray(from, end < 0 ? from + keep : Math.min(end, from + keep));
    if (end >= 0) this.#at = this.#start + end + 1;
    else this.#isInside = true;
    return beginning;
  }

  async #skipLine(): Promise<void> {
    this.#isInside = false;
    let at = this.#start + this.#buffer.length;
    while (at < this.#size && at <= MAX_SCAN) {
      const piece = await this.#handle.read(at, 256 * 1024);
      const newline = piece.indexOf(NEWLINE);
      if (newline >= 0) {
        this.#at = at + newline + 1;
        return;
      }
      if (piece.length === 0) break;
      at += piece.length;
    }
    this.#at = this.#size;
  }

  async #load(at: number, length: number): Promise<void> {
    this.#buffer = await this.#handle.read(at, length);
    this.#start = at;
  }
}

function stripBom(line: Buffer): Buffer {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
}

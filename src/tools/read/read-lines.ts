/** Reads a range of lines from a text file of any size, in chunks, so that only the range is in memory. */

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import type { ReadResponse } from '../../protocol/tools/read.js';
import { interrupted } from '../failures.js';
import type { ToolContext } from '../tool.js';
import { LineRange } from './line-range.js';
import type { ReadTarget } from './read-target.js';
import { markedEncoding } from './text-encoding.js';

const DEFAULT_LINES = 2_000;
const MAX_LINE_CHARS = 2_000;
const MAX_CHARS = 100_000;
const PIECE_BYTES = 1024 * 1024;
/** A larger file is read only as far as needed. It then has no hash, and its lines are not counted. */
const MAX_WHOLE_BYTES = 512 * 1024 * 1024;

/** `offset` is the first line, counted from 1. */
type WantedLines = { readonly offset?: number | undefined; readonly limit?: number | undefined };

export async function readLines(target: ReadTarget, input: WantedLines, context: ToolContext): Promise<ToolOutcome> {
  const first = Math.max(1, input.offset ?? 1);
  const range = new LineRange(first, input.limit ?? DEFAULT_LINES, MAX_LINE_CHARS);
  const scan = await scanFile(target, range, context);
  if (scan.aborted) return interrupted();
  const { mtimeMs, size } = scan;
  context.files.set(target.real, { mtimeMs, size, ...(scan.sha256 === undefined ? {} : { sha256: scan.sha256 }) });
  const respond = (lines: readonly string[]) => () => textResponse(target.shown, first, lines, range.lines);
  if (size === 0) return { ...succeeded(`(${target.shown} exists and is empty)`), response: respond([]) };
  if (range.kept === 0) return failed(`${target.shown} has ${range.lines} lines; there is no line ${first}.`);
  const lines = fittingLines(range, first, scan);
  return { ...succeeded(render(lines, range, first, scan)), response: respond(lines) };
}

function textResponse(filePath: string, startLine: number, lines: readonly string[], totalLines: number): ReadResponse {
  return { type: 'text', file: { filePath, content: lines.join('\n'), numLines: lines.length, startLine, totalLines } };
}

type Scan = {
  readonly aborted: boolean;
  readonly mtimeMs: number;
  readonly size: number;
  readonly sha256: string | undefined;
  /** True if the end of the file was reached. */
  readonly whole: boolean;
  readonly utf8: boolean;
};

async function scanFile({ file, stat }: ReadTarget, range: LineRange, { signal }: ToolContext): Promise<Scan> {
  const { mtimeMs, size } = stat;
  const hash = createHash('sha256');
  const toUtf8 = transcoder(markedEncoding(await file.read(0, 4)));
  const wholeWanted = size <= MAX_WHOLE_BYTES;
  let utf8 = true;
  let position = 0;
  let torn: Buffer = Buffer.alloc(0);
  for (;;) {
    if (signal.aborted) return { aborted: true, mtimeMs, size, sha256: undefined, whole: false, utf8 };
    const piece = await file.read(position, PIECE_BYTES);
    const last = piece.length < PIECE_BYTES;
    if (wholeWanted) hash.update(piece);
    const bytes = toUtf8(piece, position === 0, last);
    if (utf8) {
      const joined = torn.length === 0 ? bytes : Buffer.concat([torn, bytes]);
      const end = last ? joined.length : wholeCharacters(joined);
      utf8 = isUtf8(joined.subarray(0, end));
      torn = Buffer.from(joined.subarray(end));
    }
    range.add(bytes);
    position += piece.length;
    if (last) break;
    if (!wholeWanted && range.full) return { aborted: false, mtimeMs, size, sha256: undefined, whole: false, utf8 };
  }
  range.end();
  return { aborted: false, mtimeMs, size, sha256: wholeWanted ? hash.digest('hex') : undefined, whole: true, utf8 };
}

/** Converts chunks of a file to UTF-8 without a byte order mark. */
function transcoder(encoding: ReturnType<typeof markedEncoding>) {
  if (encoding === 'utf-16le' || encoding === 'utf-16be') {
    const decoder = new TextDecoder(encoding);
    return (piece: Buffer, _first: boolean, last: boolean) =>
      Buffer.from(decoder.decode(piece, { stream: !last }), 'utf8');
  }
  const skip = encoding === 'utf-8-bom' ? 3 : 0;
  return (piece: Buffer, first: boolean) => (first ? piece.subarray(skip) : piece);
}

/** The end of the last complete UTF-8 character in a chunk. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needed > back ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}

/** The lines of the range, as many as a result may hold. */
function fittingLines(range: LineRange, first: number, scan: Scan): readonly string[] {
  const lines: string[] = [];
  let chars = 0;
  for (const line of range.texts(scan.utf8 ? 'utf8' : 'latin1')) {
    chars += numbered(line, first + lines.length).length + 1;
    if (chars > MAX_CHARS && lines.length > 0) break;
    lines.push(line);
  }
  return lines;
}

function numbered(line: string, number: number): string {
  return `${String(number).padStart(6)}\t${line}`;
}

function render(lines: readonly string[], range: LineRange, first: number, scan: Scan): string {
  const shown = lines.map((line, index) => numbered(line, first + index));
  const next = first + shown.length;
  const total = scan.whole ? `${range.lines}` : 'more';
  const notes: string[] = [];
  if (!scan.whole || next <= range.lines) {
    notes.push(`(lines ${first} to ${next - 1} of ${total}; continue with offset ${next})`);
  }
  if (!scan.utf8) notes.push('(the file is not valid UTF-8; shown and edited as Latin-1)');
  return [...shown, ...notes].join('\n');
}

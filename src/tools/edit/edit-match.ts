/**
 * Finds and replaces text independently of line endings. The search runs on a view where every CRLF is LF. Matches are
 * mapped back, so that everything outside them keeps its bytes, even in a file with mixed endings.
 */

import { lineEnding } from '../read/text-encoding.js';

/** A range in the original text. */
export type Match = { readonly start: number; readonly end: number };

export type Edited = {
  readonly text: string;
  /** The range of the first replacement in the new text. */
  readonly first: Match;
};

const AROUND = 3;
const MAX_SHOWN = 60;
const MAX_LINE_CHARS = 500;

/** All non-overlapping occurrences of `wanted`. */
export function findMatches(text: string, requested: string): readonly Match[] {
  const view = text.replaceAll('\r\n', '\n');
  const needle = requested.replaceAll('\r\n', '\n');
  const original = mapBack(text);
  const matches: Match[] = [];
  for (let at = view.indexOf(needle); at !== -1; at = view.indexOf(needle, at + needle.length)) {
    matches.push({ start: original(at), end: original(at + needle.length) });
  }
  return matches;
}

export function replaceMatches(text: string, matches: readonly Match[], replacement: string): Edited {
  const plain = replacement.replaceAll('\r\n', '\n');
  const usual = lineEnding(text).endsWith('crlf') ? '\r\n' : '\n';
  const parts: string[] = [];
  let first: Match | undefined;
  let from = 0;
  let length = 0;
  for (const { start, end } of matches) {
    const before = text.slice(from, start);
    const replaced = plain.replaceAll('\n', endingWithin(text.slice(start, end)) ?? usual);
    parts.push(before, replaced);
    first ??= { start: length + before.length, end: length + before.length + replaced.length };
    length += before.length + replaced.length;
    from = end;
  }
  parts.push(text.slice(from));
  return { text: parts.join(''), first: first ?? { start: 0, end: 0 } };
}

/** The first change with a few lines around it, numbered as in Read. */
export function changedLines({ text, first }: Edited): string {
  const lines = text.split('\n');
  const from = Math.max(0, countNewlines(text, first.start) - AROUND);
  const to = Math.min(lines.length, countNewlines(text, first.end) + 1 + AROUND);
  const shown = lines.slice(from, to);
  if (to === lines.length && shown.at(-1) === '') shown.pop();
  const numbered = shown.map((line, index) => `${String(from + index + 1).padStart(6)}\t${cutLine(line)}`);
  if (numbered.length <= MAX_SHOWN) return numbered.length === 0 ? '(the file is empty now)' : numbered.join('\n');
  const half = MAX_SHOWN / 2;
  const left = numbered.length - MAX_SHOWN;
  return [...numbered.slice(0, half), `(… ${left} more lines)`, ...numbered.slice(-half)].join('\n');
}

/** Maps an index in the LF view to the original. Must be called with ascending indexes. */
function mapBack(text: string): (index: number) => number {
  let removed = 0;
  let next = text.indexOf('\r\n');
  return (index) => {
    // The CR at `next` is missing from the view for everything after its line feed.
    while (next !== -1 && next - removed < index) {
      removed += 1;
      next = text.indexOf('\r\n', next + 2);
    }
    return index + removed;
  };
}

function endingWithin(piece: string): '\r\n' | '\n' | undefined {
  const at = piece.indexOf('\n');
  if (at === -1) return undefined;
  return piece[at - 1] === '\r' ? '\r\n' : '\n';
}

function countNewlines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function cutLine(line: string): string {
  const plain = line.endsWith('\r') ? line.slice(0, -1) : line;
  return plain.length > MAX_LINE_CHARS ? `${plain.slice(0, MAX_LINE_CHARS)}…` : plain;
}

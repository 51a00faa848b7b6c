/** Splits a Markdown file into front matter and body. Tolerates malformed fences; never executes anything. Pure. */

import { AGENT_FIELDS, type FieldDescription } from './definition-fields.js';
import type { Note } from './note.js';

export type FrontMatter =
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly line: number; readonly reason: string }
  | {
      readonly kind: 'found';
      readonly lines: readonly string[];
      /** The line number of `lines[0]` in the file, from 1. */
      readonly firstLine: number;
      readonly body: string;
      /** Problems with the fences or their position. */
      readonly notes: readonly Note[];
    };

const FENCE = /^(-{3,}|[–—]-{0,2}|[–—]{2,3})\s*$/;
/** The number of lines to search for misplaced front matter. */
const LOOK_AHEAD = 40;

export function splitFrontMatter(text: string, known: FieldDescription = AGENT_FIELDS): FrontMatter {
  const lines = text.replace(/^\uFEFF+/, '').split(/\r\n|\n|\r/);
  const start = lines.findIndex((line) => line.trim() !== '');
  const first = lines[start]?.trim() ?? '';
  if (start < 0) return { kind: 'none' };
  if (/^\+{3,}$/.test(first)) {
    return {
      kind: 'refused',
      line: start + 1,
      reason: 'the front matter is TOML (+++): write it as YAML between two --- lines',
    };
  }
  const language = /^-{3,}\s*([A-Za-z]+)\s*$/.exec(first)?.[1];
  if (language !== undefined && !/^(yaml|yml|json)$/i.test(language)) {
    const reason = `the front matter is marked as ${language}, which is never executed: write it as YAML between two --- lines`;
    return { kind: 'refused', line: start + 1, reason };
  }
  if (FENCE.test(first) || language !== undefined) return fenced(lines, start, [], known);
  return misplaced(lines, start, known);
}

/** `open` is the index of the opening fence. */
function fenced(lines: readonly string[], open: number, notes: readonly Note[], known: FieldDescription): FrontMatter {
  const close = closingFence(lines, open + 1);
  if (close !== undefined) return found(lines, open + 1, close, close + 1, notes);
  const end = endWithoutFence(lines, open + 1, known);
  const note: Note = {
    severity: 'warning',
    line: end,
    message: 'the front matter is not closed: add a --- line after it',
  };
  return found(lines, open + 1, end, end, [...notes, note]);
}

function closingFence(lines: readonly string[], from: number): number | undefined {
  const exact = indexFrom(lines, from, (line) => FENCE.test(line));
  const loose = indexFrom(lines, from, (line) => FENCE.test(line.trim()) || /^\.\.\.\s*$/.test(line));
  // An indented fence may be part of a text, so it closes only if there is no exact one.
  return exact ?? loose;
}

/** Without a closing fence, fields continue while paragraphs start with a known field. The rest is the body. */
function endWithoutFence(lines: readonly string[], from: number, known: FieldDescription): number {
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (/^#{1,6}\s/.test(line)) return index;
    if (line.trim() !== '') continue;
    const next = indexFrom(lines, index, (later) => later.trim() !== '');
    if (next === undefined || !startsKnownField(lines[next] ?? '', known)) return index;
    // Skip blank lines, so that many of them don't make this quadratic.
    index = next;
  }
  return lines.length;
}

/** Handles text before the front matter, or a missing first fence. */
function misplaced(lines: readonly string[], start: number, known: FieldDescription): FrontMatter {
  const warn = (line: number, message: string): readonly Note[] => [{ severity: 'warning', line, message }];
  const isStart = (line: string) => /^(name|description)\s*:/i.test(line);
  if (isStart(lines[start] ?? '') && closingFence(lines, start) !== undefined) {
    const notes = warn(start + 1, 'the --- line before the front matter is missing: add it');
    return fenced(lines, start - 1, notes, known);
  }
  const open = indexFrom(lines.slice(0, LOOK_AHEAD), start + 1, (line, index) => {
    const next = FENCE.test(line) ? indexFrom(lines, index + 1, (later) => later.trim() !== '') : undefined;
    return next !== undefined && isStart(lines[next] ?? '');
  });
  if (open === undefined) return { kind: 'none' };
  const notes = warn(open + 1, 'there is text before the front matter: move the front matter to the top of the file');
  const split = fenced(lines, open, notes, known);
  if (split.kind !== 'found') return split;
  const before = lines.slice(start, open);
  const isWrapped = /^(```|~~~)/.test(before[0] ?? '');
  const lead = before
    .filter((line) => !/^(```|~~~|<!--.*-->$)/.test(line.trim()))
    .join('\n')
    .trim();
  const body = isWrapped ? split.body.replace(/\n(```|~~~)\s*$/, '') : split.body;
  return { ...split, body: [lead, body].filter((part) => part !== '').join('\n\n') };
}

function found(
  lines: readonly string[],
  from: number,
  to: number,
  bodyFrom: number,
  notes: readonly Note[],
): FrontMatter {
  const body = lines.slice(bodyFrom).join('\n').trim();
  return { kind: 'found', lines: lines.slice(from, to), firstLine: from + 1, body, notes };
}

function startsKnownField(line: string, known: FieldDescription): boolean {
  const key = /^([A-Za-z][\w-]*)\s*:/.exec(line)?.[1];
  return key !== undefined && known.named(key) !== undefined;
}

function indexFrom(
  lines: readonly string[],
  from: number,
  test: (line: string, index: number) => boolean,
): number | undefined {
  for (let index = from; index < lines.length; index++) if (test(lines[index] ?? '', index)) return index;
  return undefined;
}

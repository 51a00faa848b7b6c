/**
 * Reads front matter that is not valid YAML: a line that starts with a field name starts that field, and the following
 * lines belong to it. Handles descriptions with colons, quotes and whole `<example>` dialogues. Pure.
 */

import { isMap, parseDocument } from 'yaml';
import type { FieldDescription, RawField } from './definition-fields.js';
import type { Note } from './note.js';

type Block = { readonly key: string; readonly index: number; readonly first: string; readonly rest: string[] };

export function readLooseFields(
  lines: readonly string[],
  firstLine: number,
  known: FieldDescription,
): { readonly fields: readonly RawField[]; readonly notes: readonly Note[] } {
  const notes: Note[] = [];
  const blocks = splitBlocks(lines, known, (index, line) => {
    const message = `ignored, not a field: ${line.trim().slice(0, 60)}`;
    notes.push({ severity: 'warning', line: firstLine + index, message });
  });
  return { fields: blocks.map((block) => toField(block, lines, firstLine, known)), notes };
}

function splitBlocks(
  lines: readonly string[],
  known: FieldDescription,
  skipped: (index: number, line: string) => void,
): readonly Block[] {
  const blocks: Block[] = [];
  const examples = exampleLines(lines);
  lines.forEach((line, index) => {
    const current = blocks.at(-1);
    const start = examples.has(index) ? undefined : startOf(line, current, known);
    if (start !== undefined) blocks.push({ key: start.key, index, first: start.first, rest: [] });
    else if (current !== undefined) current.rest.push(line);
    else if (line.trim() !== '' && !line.trim().startsWith('#')) skipped(index, line);
  });
  return blocks;
}

/** The lines inside a closed `<example>`. They are always text. */
function exampleLines(lines: readonly string[]): ReadonlySet<number> {
  const inside = new Set<number>();
  let open: number | undefined;
  lines.forEach((line, index) => {
    const opened = line.lastIndexOf('<example>');
    const closed = line.lastIndexOf('</example>');
    if (open !== undefined && closed >= 0) {
      for (let each = open + 1; each <= index; each++) inside.add(each);
      open = undefined;
    }
    if (opened > closed) open ??= index;
  });
  return inside;
}

const KEY_LINE = /^(\s*)(["']?)([A-Za-z][\w-]*(?: [A-Za-z]+)?)\2\s*:(\s|$)/;
const TIGHT_KEY_LINE = /^()(["']?)([A-Za-z][\w-]*)\2:()(?=[^\s/])/;
/** Words that start a line of dialogue or a paragraph of a description. */
const SPEECH =
  /^(context|user|assistant|human|ai|claude|agent|commentary|examples?|notes?|system|input|output|important|trigger|triggers|usage|scenario|response|question|answer|result|when|then|and|or)$/i;

function startOf(
  line: string,
  current: Block | undefined,
  known: FieldDescription,
): { readonly key: string; readonly first: string } | undefined {
  const spaced = KEY_LINE.exec(line);
  const match = spaced ?? TIGHT_KEY_LINE.exec(line);
  if (match === null) return undefined;
  const [all, indent = '', , key = ''] = match;
  const start = { key, first: line.slice(all.length).trim() };
  if (known.named(key) === undefined) {
    return spaced !== null && startsUnknownField(key, indent, current, known) ? start : undefined;
  }
  if (current === undefined) return start;
  if (isInside(indent, current, known)) return undefined;
  // "Tools: …" inside a text is text, unless the field names in this file are capitalised.
  if (/^[A-Z]/.test(key) && !/^[A-Z]/.test(current.key) && hasFlowed(current, known)) return undefined;
  return start;
}

function startsUnknownField(key: string, indent: string, current: Block | undefined, known: FieldDescription): boolean {
  if (indent !== '' || SPEECH.test(key) || key.includes(' ') || !/^[a-z]/.test(key)) return false;
  return current === undefined || !hasFlowed(current, known);
}

/** True for a description that continues without indentation. Only a line that is certainly a field ends it. */
function hasFlowed(current: Block, known: FieldDescription): boolean {
  const flowed = current.rest.some((line) => line.trim() !== '' && !/^\s/.test(line));
  return flowed && known.named(current.key) === 'description';
}

/** True if the line is indented below a structured field, or below a block text that starts with "|". */
function isInside(indent: string, current: Block, known: FieldDescription): boolean {
  if (indent === '') return false;
  const field = known.named(current.key);
  if (field === undefined || known.structures.has(field)) return true;
  return current.first === '' || isBlockMark(current.first);
}

function isBlockMark(text: string): boolean {
  return /^[|>][+-]?\d?[+-]?\s*(#.*)?$/.test(text);
}

function toField(block: Block, lines: readonly string[], firstLine: number, known: FieldDescription): RawField {
  const line = firstLine + block.index;
  const field = known.named(block.key);
  if (field === undefined || !known.texts.has(field)) {
    const structure = readStructure(lines.slice(block.index, block.index + 1 + block.rest.length));
    if (structure !== undefined) return { key: block.key, line, value: structure.value };
  }
  const text = readText(block);
  return { key: block.key, line, value: text, text };
}

/** A single block can still be valid YAML: a list of tools, hooks. */
function readStructure(lines: readonly string[]): { readonly value: unknown } | undefined {
  const document = parseDocument(lines.join('\n'), { schema: 'core', logLevel: 'silent', prettyErrors: false });
  if (document.errors.length > 0 || !isMap(document.contents) || document.contents.items.length !== 1) return undefined;
  try {
    return { value: Object.values(document.toJS({ maxAliasCount: 50 }) as object)[0] };
  } catch {
    return undefined;
  }
}

function readText(block: Block): string {
  if (isBlockMark(block.first)) {
    const rest = dedented(block.rest);
    return (block.first.startsWith('>') ? folded(rest) : rest.join('\n')).trim();
  }
  return unquoted([block.first, ...dedented(block.rest)].join('\n').trim());
}

function dedented(lines: readonly string[]): readonly string[] {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const common = Math.min(...indents, Number.POSITIVE_INFINITY);
  return lines.map((line) => (Number.isFinite(common) ? line.slice(common) : line.trim()).trimEnd());
}

function folded(lines: readonly string[]): string {
  return lines
    .join('\n')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll('\n', ' '))
    .join('\n');
}

/** Removes outer quotes and resolves escapes in double quotes. An unclosed quote is dropped. */
function unquoted(text: string): string {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return text;
  const closed = text.length > 1 && text.endsWith(quote);
  const inner = text.slice(1, closed ? -1 : undefined);
  if (!closed && inner.includes(quote)) return text;
  if (quote === "'") return inner.replaceAll("''", "'");
  return inner.replace(/\\(["\\nt])/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' };

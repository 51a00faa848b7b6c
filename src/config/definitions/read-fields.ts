/** The fields of a front matter: by YAML where it is YAML, line by line where it is not. Pure. */

import { isMap, isScalar, LineCounter, type Pair, parseDocument, type Scalar } from 'yaml';
import { reasonOf } from '../../protocol/reason-of.js';
import type { RawField } from './definition-fields.js';
import type { Note } from './note.js';
import { readLooseFields } from './read-loose-fields.js';

export type ReadFields = { readonly fields: readonly RawField[]; readonly notes: readonly Note[] };

/** Lines of a dialogue in a description, which YAML takes for fields of their own. */
const DIALOGUE = /^(Context|user|assistant|commentary|Human|Assistant|User)$/;

export function readFields(lines: readonly string[], firstLine: number): ReadFields {
  const read = readYaml(lines, firstLine);
  if (read.ok) return withoutDuplicates(read.fields);
  const loose = readLooseFields(lines, firstLine);
  const rest = withoutDuplicates(loose.fields);
  const note: Note = {
    severity: 'warning',
    line: read.line,
    message: `not valid YAML (${read.reason}): read line by line; put long texts in quotes or after "|" to be sure`,
  };
  return { fields: rest.fields, notes: [note, ...loose.notes, ...rest.notes] };
}

type YamlRead =
  | { readonly ok: true; readonly fields: readonly RawField[] }
  | { readonly ok: false; readonly line: number; readonly reason: string };

function readYaml(lines: readonly string[], firstLine: number): YamlRead {
  const source = lines.join('\n');
  const counter = new LineCounter();
  const lineOf = (offset: number) => firstLine + Math.max(0, counter.linePos(offset).line - 1);
  const document = parseDocument(source, {
    schema: 'core',
    uniqueKeys: false,
    merge: false,
    logLevel: 'silent',
    prettyErrors: false,
    lineCounter: counter,
  });
  const [error] = document.errors;
  if (error !== undefined) return { ok: false, line: lineOf(error.pos[0]), reason: plainReason(error.code) };
  const { contents } = document;
  if (contents === null) return { ok: true, fields: [] };
  if (!isMap(contents)) return { ok: false, line: firstLine, reason: 'no "field: value" lines' };
  const keyLine = (pair: Pair) => lineOf(isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0);
  const dialogue = contents.items.find((pair) => DIALOGUE.test(keyOf(pair)));
  if (dialogue !== undefined) {
    return { ok: false, line: keyLine(dialogue), reason: `"${keyOf(dialogue)}:" begins a field of its own` };
  }
  try {
    return { ok: true, fields: contents.items.map((pair) => toField(pair, keyLine(pair))) };
  } catch (failure) {
    // Aliases that lead in a circle or multiply without end.
    return { ok: false, line: firstLine, reason: reasonOf(failure) };
  }

  function toField(pair: Pair, line: number): RawField {
    const { value: node } = pair;
    if (isScalar(node)) return { key: keyOf(pair), line, ...scalarField(node, source) };
    if (node === null) return { key: keyOf(pair), line, value: null };
    const range = (node as { readonly range?: readonly [number, number, number] | null }).range;
    const value: unknown = (node as { toJS(document: unknown, options?: object): unknown }).toJS(document, {
      maxAliasCount: 50,
    });
    const text = range == null ? undefined : source.slice(range[0], range[1]).trim();
    return { key: keyOf(pair), line, value, ...(text === undefined ? {} : { text }) };
  }
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.source ?? pair.key.value) : String(pair.key);
}

function scalarField(node: Scalar, source: string): Pick<RawField, 'value' | 'text'> {
  if (node.type !== 'PLAIN') return { value: node.value };
  const [start, end] = node.range ?? [0, 0, 0];
  // A tag (`!important …`) and a "#" right before a word (`issue #12`) were meant as text.
  const lineEnd = source.indexOf('\n', end);
  const after = source.slice(end, lineEnd < 0 ? undefined : lineEnd);
  const hash = /^\s+#[^\s#].*$/.test(after) && !source.slice(start, end).includes('\n') ? after : '';
  const tag = node.tag?.startsWith('!') ? `${node.tag} ` : '';
  return { value: node.value, text: `${tag}${node.source ?? String(node.value ?? '')}${hash}`.trim() };
}

function plainReason(code: string): string {
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'a tab is used to indent';
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return 'a ":" stands in a text without quotes';
    case 'BAD_ALIAS':
      return 'a text begins with "*" or "&" without quotes';
    case 'MISSING_CHAR':
      return 'a quote, bracket or ":" is missing';
    default:
      return code.toLowerCase().replaceAll('_', ' ');
  }
}

function withoutDuplicates(fields: readonly RawField[]): ReadFields {
  const last = new Map(fields.map((field) => [field.key, field]));
  const notes = fields
    .filter((field) => last.get(field.key) !== field)
    .map((field): Note => {
      const where = last.get(field.key)?.line;
      const message = `the field ${field.key} is written twice: the last one${where === undefined ? '' : ` (line ${where})`} counts`;
      return { severity: 'warning', ...(field.line === undefined ? {} : { line: field.line }), message };
    });
  return { fields: fields.filter((field) => last.get(field.key) === field), notes };
}

/** Reads the fields of front matter: as YAML if it is valid, otherwise line by line. Pure. */

import { isMap, isScalar, LineCounter, type Pair, parseDocument, type Scalar } from 'yaml';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Failure } from '../../protocol/result.js';
import { AGENT_FIELDS, type FieldDescription, type RawField } from './definition-fields.js';
import type { Note } from './note.js';
import { readLooseFields } from './read-loose-fields.js';

export type ReadFields = {
  readonly fields: readonly RawField[];
  readonly notes: readonly Note[];
  /** The text is not valid YAML, so a field may be part of another field's text. */
  readonly isLoose: boolean;
};

/** Speakers in a dialogue inside a description. YAML would parse them as fields. */
const DIALOGUE = /^(Context|user|assistant|commentary|Human|Assistant|User)$/;

export function readFields(
  lines: readonly string[],
  firstLine: number,
  known: FieldDescription = AGENT_FIELDS,
): ReadFields {
  const read = readYaml(lines, firstLine, known);
  if (read.ok) return { ...withoutDuplicates(read.fields), isLoose: false };
  const loose = readLooseFields(lines, firstLine, known);
  const rest = withoutDuplicates(loose.fields);
  const note: Note = {
    severity: 'warning',
    line: read.line,
    message: `not valid YAML (${read.reason}), read line by line: put long text in quotes or after "|"`,
  };
  return { fields: rest.fields, notes: [note, ...loose.notes, ...rest.notes], isLoose: true };
}

type YamlRead = { readonly ok: true; readonly fields: readonly RawField[] } | (Failure & { readonly line: number });

function readYaml(lines: readonly string[], firstLine: number, known: FieldDescription): YamlRead {
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
  const isSpeech = (key: string) => DIALOGUE.test(key) && known.named(key) === undefined;
  const dialogue = contents.items.find((pair) => isSpeech(keyOf(pair)));
  if (dialogue !== undefined) {
    return { ok: false, line: keyLine(dialogue), reason: `"${keyOf(dialogue)}:" starts a new field` };
  }
  try {
    return { ok: true, fields: contents.items.map((pair) => toField(pair, keyLine(pair))) };
  } catch (failure) {
    // Circular aliases, or too many of them.
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
  // A tag (`!important …`) and a "#" right before a word (`issue #12`) are meant as text.
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
      return 'unquoted text contains a ":"';
    case 'BAD_ALIAS':
      return 'unquoted text starts with "*" or "&"';
    case 'MISSING_CHAR':
      return 'a quote, bracket or ":" is missing';
    default:
      return code.toLowerCase().replaceAll('_', ' ');
  }
}

function withoutDuplicates(fields: readonly RawField[]): Omit<ReadFields, 'isLoose'> {
  const last = new Map(fields.map((field) => [field.key, field]));
  const notes = fields
    .filter((field) => last.get(field.key) !== field)
    .map((field): Note => {
      const where = last.get(field.key)?.line;
      const message = `duplicate field ${field.key}: the last one${where === undefined ? '' : ` (line ${where})`} is used`;
      return { severity: 'warning', ...(field.line === undefined ? {} : { line: field.line }), message };
    });
  return { fields: fields.filter((field) => last.get(field.key) === field), notes };
}

/** Parses the text of a style. Front matter is optional, and malformed files are read as far as possible. Pure. */

import { basename } from 'node:path';
import type { RawField } from '../definitions/definition-fields.js';
import { switchOf, textOf } from '../definitions/field-values.js';
import { readFields } from '../definitions/read-fields.js';
import { splitFrontMatter } from '../definitions/split-front-matter.js';
import type { Problem } from '../problem.js';
import type { OutputStyle, StyleSource } from './output-style.js';

export type ParsedStyle = { readonly style?: OutputStyle; readonly problems: readonly Problem[] };

/** Parsing YAML takes much longer than reading text. */
const MAX_FRONT_MATTER = 64 * 1024;
const MAX_NAME = 100;
const MAX_DESCRIPTION = 1_000;

export function parseStyle(text: string, source: StyleSource): ParsedStyle {
  const { file } = source;
  const skipped = (line: number, reason: string): ParsedStyle => ({
    problems: [{ severity: 'error', file, line, message: `skipped: ${reason}` }],
  });
  const split = splitFrontMatter(text);
  if (split.kind === 'refused') return skipped(split.line, split.reason);
  const head = split.kind === 'found' ? split : { lines: [], firstLine: 1, notes: [], body: plainBody(text) };
  if (head.lines.join('\n').length > MAX_FRONT_MATTER) {
    return skipped(head.firstLine, `the front matter has more than ${MAX_FRONT_MATTER} characters`);
  }
  if (head.body === '') return skipped(1, 'no text after the front matter: add instructions on how to answer');
  const { fields, notes } = readFields(head.lines, head.firstLine);
  const problems = [...head.notes, ...notes].map(
    ({ severity, line = 1, message }): Problem => ({ severity, file, line, message }),
  );
  const keeps = find(fields, 'keepcodinginstructions');
  const keepsCoding = keeps === undefined ? false : switchOf(keeps);
  if (keepsCoding === undefined) {
    const message = 'keep-coding-instructions is neither true nor false: false is used';
    problems.push({ severity: 'warning', file, line: keeps?.line ?? 1, message });
  }
  const written = oneLine(find(fields, 'name'), MAX_NAME);
  const name = written === '' ? basename(file).replace(/\.(md|markdown)$/i, '') : written;
  const style: OutputStyle = {
    name: source.plugin === undefined ? name : `${source.plugin}:${name}`,
    description: oneLine(find(fields, 'description'), MAX_DESCRIPTION),
    keepsCoding: keepsCoding ?? false,
    prompt: head.body,
    source,
  };
  return { style, problems };
}

/** Ignores case, `-` and `_` in the field's name. */
function find(fields: readonly RawField[], wanted: string): RawField | undefined {
  return fields.find(({ key }) => key.toLowerCase().replace(/[\s_-]/g, '') === wanted);
}

function oneLine(field: RawField | undefined, most: number): string {
  const text = (field === undefined ? undefined : textOf(field)) ?? '';
  return text.replace(/\s+/g, ' ').trim().slice(0, most).toWellFormed();
}

function plainBody(text: string): string {
  return text
    .replace(/^\uFEFF+/, '')
    .replace(/\r\n?/g, '\n')
    .trim();
}

/** What a person types into one field of a server's form. */

import { escapeToLine } from '../../protocol/escape-controls.js';
import { checkValue } from '../../protocol/mcp/check-content.js';
import type { ElicitationField } from '../../protocol/mcp/elicitation-form.js';

export type FieldValue = string | number | boolean | readonly string[];

/** `value` undefined: left out. */
type FieldRead =
  | { readonly ok: true; readonly value: FieldValue | undefined }
  | { readonly ok: false; readonly reason: string };

/** What can be typed, where that is not plain text. */
export function valueLines(field: ElicitationField): readonly string[] {
  const choices = field.type === 'choice' || field.type === 'choices' ? field.choices : [];
  const numbered = choices.map(({ label }, index) => `  ${index + 1}  ${escapeToLine(label)}`);
  const several = field.type === 'choices' ? ['  (several: numbers with a comma between)'] : [];
  const empty =
    field.default !== undefined ? describeValue(field, field.default) : field.required ? undefined : 'nothing';
  return [...numbered, ...several, ...(empty === undefined ? [] : [`  (Enter: ${empty})`])];
}

export function describeValue(field: ElicitationField, value: FieldValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const choices = field.type === 'choice' || field.type === 'choices' ? field.choices : [];
  const labelOf = (one: string) => choices.find((choice) => choice.value === one)?.label ?? one;
  const values = typeof value === 'string' || typeof value === 'number' ? [String(value)] : value;
  return values.length === 0 ? '(none)' : values.map((one) => escapeToLine(labelOf(one))).join(', ');
}

export function readField(field: ElicitationField, line: string): FieldRead {
  if (line.trim() === '') {
    if (field.default !== undefined) return { ok: true, value: field.default };
    return field.required ? { ok: false, reason: 'It is required' } : { ok: true, value: undefined };
  }
  const value = parse(field, line);
  const wrong = checkValue(field, value);
  return wrong === undefined ? { ok: true, value: value as FieldValue } : { ok: false, reason: capital(wrong) };
}

function parse(field: ElicitationField, line: string): unknown {
  const typed = line.trim();
  switch (field.type) {
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(typed) ? true : /^(?:n|no|false)$/i.test(typed) ? false : undefined;
    case 'number':
    case 'integer':
      return Number(typed);
    case 'string':
      return line;
    case 'choice':
      return chosen(field, typed);
    case 'choices':
      return typed
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
        .map((part) => chosen(field, part));
    default:
      return field satisfies never;
  }
}

/** By its value or label as written, else by its number. */
function chosen(
  { choices }: ElicitationField & { readonly type: 'choice' | 'choices' },
  typed: string,
): string | undefined {
  const written = choices.find(({ value, label }) => value === typed || label === typed);
  return (written ?? (/^\d+$/.test(typed) ? choices[Number(typed) - 1] : undefined))?.value;
}

function capital(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

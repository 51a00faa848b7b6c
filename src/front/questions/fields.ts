/** A form to fill in: describes its fields, parses what is typed, builds the answer. */

import { escapeToLine } from '../../protocol/escape-controls.js';
import { checkValue } from '../../protocol/mcp/check-content.js';
import type { ElicitationField } from '../../protocol/mcp/elicitation-form.js';
import type { PermissionAnswer } from '../../protocol/permission.js';
import type { Result } from '../../protocol/result.js';
import {
  type AnswerEffect,
  answerWith,
  type FillEffect,
  type Form,
  type QuestionChoice,
} from './question-description.js';

export type FieldValue = string | number | boolean | readonly string[];

/** `value` undefined: skipped. */
type FieldRead = Result<{ readonly value: FieldValue | undefined }>;

/** By field name; skipped fields are absent. */
export type FormContent = ReadonlyMap<string, FieldValue>;

export const DECLINED: PermissionAnswer = { behavior: 'deny' };
export const CANCELLED: PermissionAnswer = { behavior: 'deny', cancel: true };

export const SECRET_WARNING =
  'This looks like a password or a key. What you type is shown here and sent to the server; decline if you are not sure.';

/** The refusals, before and after the fields are filled in. */
export const REFUSALS: readonly QuestionChoice[] = [
  {
    words: ['n', 'no', 'decline'],
    label: 'no, decline',
    keys: ['3', 'n'],
    button: { id: 'reject', name: 'No' },
    effect: answerWith(DECLINED),
  },
  { words: ['c', 'cancel'], label: 'cancel without an answer', keys: ['c'], effect: answerWith(CANCELLED) },
];

/** Choices once all fields are filled in and shown. */
export function sendChoices(form: Form, content: FormContent): readonly QuestionChoice<AnswerEffect | FillEffect>[] {
  const answer: PermissionAnswer = { behavior: 'allow', updatedInput: Object.fromEntries(content) };
  return [
    { words: ['y', 'yes'], label: 'send it', keys: ['1', 'y'], effect: answerWith(answer) },
    { words: ['e'], label: 'enter it again', keys: ['2', 'e'], effect: { kind: 'fill', form } },
    ...REFUSALS,
  ];
}

/** Describes everything that would be sent. */
export function describeContent(form: Form, content: FormContent): readonly string[] {
  return [
    `To be sent to ${escapeToLine(form.server)}:`,
    ...form.fields.map((field) => {
      const value = content.get(field.name);
      return `  ${escapeToLine(field.title)}: ${value === undefined ? '(nothing)' : describeValue(field, value)}`;
    }),
  ];
}

/** `Name (text, required): what it is for`. */
export function describeField(field: ElicitationField): string {
  const description = field.description === undefined ? '' : `: ${escapeToLine(field.description)}`;
  const required = field.required ? ', required' : '';
  return `${escapeToLine(field.title)} (${describeType(field)}${required})${description}`;
}

function describeType(field: ElicitationField): string {
  switch (field.type) {
    case 'boolean':
      return 'yes or no';
    case 'integer':
    case 'number':
      return `${field.type === 'integer' ? 'whole number' : 'number'}${between(field.minimum, field.maximum, '')}`;
    case 'string':
      return `${field.format ?? 'text'}${between(field.minLength, field.maxLength, ' characters')}`;
    case 'choice':
      return `one of ${field.choices.length}`;
    case 'choices':
      return `some of ${field.choices.length}${between(field.minItems, field.maxItems, '')}`;
    default:
      return field satisfies never;
  }
}

function between(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return '';
  if (least === undefined) return `, at most ${most}${unit}`;
  return most === undefined ? `, at least ${least}${unit}` : `, ${least} to ${most}${unit}`;
}

/** Describes what can be typed, unless it is plain text. */
export function valueLines(field: ElicitationField): readonly string[] {
  const choices = field.type === 'choice' || field.type === 'choices' ? field.choices : [];
  const numbered = choices.map(({ label }, index) => `  ${index + 1}  ${escapeToLine(label)}`);
  const several = field.type === 'choices' ? ['  (several: separate numbers with commas)'] : [];
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
    return field.required ? { ok: false, reason: 'Required' } : { ok: true, value: undefined };
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

/** Finds a choice by its exact value or label, otherwise by its number. */
function chosen(
  { choices }: ElicitationField & { readonly type: 'choice' | 'choices' },
  typed: string,
): string | undefined {
  const written = choices.find(({ value, label }) => value === typed || label === typed);
  return (written ?? (/^\d+$/.test(typed) ? choices[Number(typed) - 1] : undefined))?.value;
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

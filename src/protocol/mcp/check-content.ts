/** Checks the values filled into a server's form against its fields. */

import { escapeToLine } from '../escape-controls.js';
import { isObject } from '../json/json-values.js';
import type { Result } from '../result.js';
import type { ElicitationContent } from './elicitation.js';
import type { ElicitationField, TextFormat } from './elicitation-form.js';

/** `reason`, for people: the field and what is wrong with it. */
type ContentChecked = Result<{ readonly content: ElicitationContent }>;

/** Values for fields that the form does not have are refused, so that nothing else is sent. */
export function checkContent(fields: readonly ElicitationField[], given: unknown): ContentChecked {
  if (!isObject(given)) return { ok: false, reason: 'the content must be an object with a value for each field' };
  const unknown = Object.keys(given).find((name) => !fields.some((field) => field.name === name));
  if (unknown !== undefined) return { ok: false, reason: `there is no field "${escapeToLine(unknown)}"` };
  const content: [string, ElicitationContent[string]][] = [];
  for (const field of fields) {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : undefined;
    if (value === undefined || value === null) {
      if (field.required) return { ok: false, reason: `${field.title}: it is required` };
      continue;
    }
    const wrong = checkValue(field, value);
    if (wrong !== undefined) return { ok: false, reason: `${field.title}: ${wrong}` };
    content.push([field.name, value as ElicitationContent[string]]);
  }
  return { ok: true, content: Object.fromEntries(content) };
}

/** Returns what is wrong with a value; undefined if it is valid. */
export function checkValue(field: ElicitationField, value: unknown): string | undefined {
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be yes or no';
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
      if (field.type === 'integer' && !Number.isInteger(value)) return 'must be a whole number';
      return outside(value, field.minimum, field.maximum, '');
    case 'string':
      if (typeof value !== 'string') return 'must be text';
      return (
        outside([...value].length, field.minLength, field.maxLength, ' characters') ?? checkFormat(field.format, value)
      );
    case 'choice':
      return field.choices.some((one) => one.value === value) ? undefined : 'choose one of the options';
    case 'choices': {
      if (!Array.isArray(value)) return 'must be a list of the options';
      if (value.some((one) => !field.choices.some((known) => known.value === one)))
        return 'choose only from the options';
      if (new Set(value).size < value.length) return 'choose each option only once';
      return outside(value.length, field.minItems, field.maxItems, ' options');
    }
    default:
      return field satisfies never;
  }
}

function outside(value: number, least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (least !== undefined && value < least) return `must be ${least}${unit} or more`;
  if (most !== undefined && value > most) return `must be ${most}${unit} or less`;
  return undefined;
}

function checkFormat(format: TextFormat | undefined, value: string): string | undefined {
  switch (format) {
    case undefined:
      return undefined;
    case 'email':
      return /^[^\s@]+@[^\s@]+$/.test(value) ? undefined : 'must be an e-mail address (name@example.org)';
    case 'uri':
      return URL.canParse(value) ? undefined : 'must be a URL (https://…)';
    case 'date':
      return isDay(value) ? undefined : 'must be a date (2026-01-31)';
    case 'date-time':
      return /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.test(value) &&
        isDay(value.slice(0, 10))
        ? undefined
        : 'must be a date with a time (2026-01-31T12:00:00Z)';
    default:
      return format satisfies never;
  }
}

/** Also rejects days that do not exist. */
function isDay(value: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

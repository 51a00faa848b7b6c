/** Describes a schema issue: which key, what was expected, what was found. */

import type * as z from 'zod';
import { SETTINGS, type SettingName } from './settings-table.js';

export function describeIssue(
  issue: z.core.$ZodIssue,
  raw: unknown,
): { path: readonly PropertyKey[]; message: string } {
  const path = issue.path;
  const found = valueAt(raw, path);
  const subject = formatPath(path) || 'the settings';
  const expected = expectedBy(issue, path);
  const message =
    found === undefined
      ? `${subject} is missing: expected ${expected}`
      : `${subject}: expected ${expected}, found ${describeValue(found)}`;
  return { path, message };
}

/** `permissions.allow[2]` */
function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

export function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  switch (typeof value) {
    case 'string':
      return `the string ${JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)}`;
    case 'number':
      return `the number ${value}`;
    case 'boolean':
      return String(value);
    case 'object':
      return 'an object';
    default:
      return `an unsupported value (${typeof value})`;
  }
}

function expectedBy(issue: z.core.$ZodIssue, path: readonly PropertyKey[]): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return `a number ${issue.inclusive ? 'of at least' : 'above'} ${issue.minimum}`;
    case 'too_big':
      return `a number of at most ${issue.maximum}`;
    case 'invalid_format':
    case 'custom':
      return issue.message;
    case 'invalid_key':
      return `a key that is ${issue.issues[0]?.message ?? 'valid'}`;
    default:
      return settingExpects(path);
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** The value that the nearest known key expects. */
function settingExpects(path: readonly PropertyKey[]): string {
  for (let length = path.length; length > 0; length--) {
    const name = path.slice(0, length).map(String).join('.');
    if (Object.hasOwn(SETTINGS, name)) return SETTINGS[name as SettingName].shape.expects;
  }
  return 'a different value';
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, part) => {
    return typeof at === 'object' && at !== null && Object.hasOwn(at, part)
      ? (at as Record<PropertyKey, unknown>)[part]
      : undefined;
  }, value);
}

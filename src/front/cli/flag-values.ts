/** Parsers for the values of flags. An invalid value is refused with the expected form. */

import { InvalidArgumentError } from 'commander';
import type { SettingSource } from '../../config/settings/setting-sources.js';
import { type JsonObject, parseObject } from '../../protocol/json/json-values.js';

/** The value that a flag takes. */
export type Value<T> = {
  readonly parse?: (value: string, before?: never) => T;
  readonly choices?: readonly T[];
  readonly default?: T;
  readonly isHidden?: boolean;
};

export const SWITCH: Value<boolean> = {};
export const TEXT: Value<string> = {};
export const TEXTS: Value<readonly string[]> = {};
export const OPTIONAL_TEXT: Value<string | true> = {};

export const read = <T>(parse: (value: string, before?: never) => T, byDefault?: T): Value<T> => {
  return byDefault === undefined ? { parse } : { parse, default: byDefault };
};
export const oneOf = <const T extends string>(choices: readonly T[], byDefault?: T): Value<T> => {
  return byDefault === undefined ? { choices } : { choices, default: byDefault };
};
export const hidden = <T>(value: Value<T>): Value<T> => ({ ...value, isHidden: true });

export class NotYetError extends Error {}

export function promptTool(value: string): 'stdio' {
  if (value !== 'stdio')
    throw new NotYetError(
      '--permission-prompt-tool accepts only stdio in this version; MCP tools are not yet supported',
    );
  return value;
}

export function positiveWhole(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('Expected a whole number of at least 1.');
  return number;
}

export function whole(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isInteger(number) || number < 0) {
    throw new InvalidArgumentError('Expected a whole number, 0 or more.');
  }
  return number;
}

/** `a,b` or `a b`. */
export function list(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...namesIn(value)];
}

function namesIn(value: string): string[] {
  return value
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

export function toolNames(value: string): readonly string[] | 'default' {
  return value.trim() === 'default' ? 'default' : namesIn(value);
}

export function readSchema(value: string): JsonObject {
  const schema = parseObject(value);
  if (schema === undefined)
    throw new InvalidArgumentError('Expected a JSON schema: {"type": "object", "properties": {…}}.');
  return schema;
}

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function seconds(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number) || number < 0) {
    throw new InvalidArgumentError('Expected a number of seconds, 0 or more.');
  }
  return number;
}

export function positiveNumber(value: string): number {
  const number = Number(value);
  if (!Number.isFinite(number) || number <= 0) throw new InvalidArgumentError('Expected a number above 0.');
  return number;
}

export function settingSources(value: string): SettingSource[] {
  const names = namesIn(value);
  const wrong = names.find((name) => !isSource(name));
  if (wrong !== undefined) throw new InvalidArgumentError(`"${wrong}" is not one of user, project, local.`);
  return names.filter(isSource);
}

function isSource(name: string): name is SettingSource {
  return ['user', 'project', 'local'].includes(name);
}

/** Checked here, so that a typo does not start a session without its agents. */
export function readObject(text: string): string {
  if (parseObject(text) !== undefined) return text;
  throw new InvalidArgumentError('Expected a JSON object: {"name": {"description": "…", "prompt": "…"}}.');
}

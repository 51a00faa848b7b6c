/** Converts a field's value to its expected type; undefined if that is not possible. Pure. */

import { isObject } from '../../protocol/json/json-values.js';
import { type HooksSetting, hooksSchema } from '../settings/setting-shapes.js';
import type { AgentMcpServer } from './agent-definition.js';
import type { RawField } from './definition-fields.js';
import { readNames } from './tool-list.js';

export function textOf(field: RawField): string | undefined {
  if (field.text !== undefined) return field.value === null && /^(null|~)?$/i.test(field.text) ? undefined : field.text;
  if (typeof field.value === 'string') return field.value;
  return typeof field.value === 'number' || typeof field.value === 'boolean' ? String(field.value) : undefined;
}

/** A short value on one line, without a trailing comment or surrounding quotes. */
export function wordOf(field: RawField): string | undefined {
  const [line = ''] = (textOf(field) ?? '').split('\n');
  const word = line
    .replace(/\s+#.*$/, '')
    .replace(/^(["'`])(.*)\1$/, '$2')
    .trim();
  return word === '' ? undefined : word;
}

export function switchOf(field: RawField): boolean | undefined {
  if (typeof field.value === 'boolean') return field.value;
  const word = wordOf(field)?.toLowerCase() ?? '';
  if (/^(true|yes|on|1)$/.test(word)) return true;
  return /^(false|no|off|0|none)$/.test(word) ? false : undefined;
}

export function countOf(field: RawField): number | undefined {
  const number = typeof field.value === 'number' ? field.value : Number(wordOf(field) ?? 'none');
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** One of `choices`. Ignores case, `_`, `-` and spaces. */
export function choiceOf<T extends string>(field: RawField, choices: readonly T[]): T | undefined {
  const squeeze = (text: string) => text.toLowerCase().replace(/[\s_-]/g, '');
  const word = squeeze(wordOf(field) ?? '');
  return choices.find((choice) => squeeze(choice) === word);
}

export function namesOf(field: RawField): readonly string[] | undefined {
  const { value } = field;
  if (isObject(value)) return undefined;
  const names = readNames(value ?? field.text);
  return /^(none|~|null)$/i.test(names.join()) ? [] : names;
}

/** Names, inline configs, or both: `[github, {docs: {command: …}}]` or `{docs: {…}}`. */
export function serversOf(field: RawField): readonly AgentMcpServer[] | undefined {
  const { value } = field;
  if (Array.isArray(value)) {
    const servers = value.map(serversFrom);
    return servers.some((one) => one === undefined) ? undefined : servers.flatMap((one) => one ?? []);
  }
  return serversFrom(value);
}

function serversFrom(value: unknown): readonly AgentMcpServer[] | undefined {
  if (typeof value === 'string') return readNames(value).map((name) => ({ name }));
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  return entries.flatMap(([name, config]): readonly AgentMcpServer[] => {
    if (config === null || config === true) return [{ name }];
    // An invalid entry is reported when the server would start, so that the others still apply.
    return [{ name, config: config as Readonly<Record<string, unknown>> }];
  });
}

export function hooksOf({ value }: RawField): HooksSetting | undefined {
  const parsed = hooksSchema().safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** The value as a message quotes it. */
export function shown({ value }: RawField): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

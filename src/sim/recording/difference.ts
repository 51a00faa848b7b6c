/** Finds the first difference between two JSON values. */

import { isObject } from '../json-value.js';

export type Difference = { readonly path: string; readonly expected: unknown; readonly actual: unknown };

export function firstDifference(expected: unknown, actual: unknown, path = ''): Difference | undefined {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return differenceAt(
      Array.from({ length: Math.max(expected.length, actual.length) }, (_, index) => index),
      path,
      (index) => [expected[index], actual[index]],
    );
  }
  if (isObject(expected) && isObject(actual)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
    return differenceAt(names, path, (name) => [expected[name], actual[name]]);
  }
  return Object.is(expected, actual) ? undefined : { path, expected, actual };
}

function differenceAt<Key extends string | number>(
  keys: readonly Key[],
  path: string,
  pair: (key: Key) => readonly [unknown, unknown],
): Difference | undefined {
  for (const key of keys) {
    const [expected, actual] = pair(key);
    const found = firstDifference(expected, actual, path === '' ? String(key) : `${path}.${key}`);
    if (found) return found;
  }
  return undefined;
}

const SHOWN = 200;
const BEFORE = 40;

/** Describes a difference. For two long strings, shows the part where they differ. */
export function describeDifference({ path, expected, actual }: Difference): string {
  const at = typeof expected === 'string' && typeof actual === 'string' ? partingOf(expected, actual) : 0;
  const where = at > 0 ? `, from character ${at}` : '';
  return [
    `at ${path || 'the top'}${where}`,
    `  recorded: ${show(expected, at)}`,
    `  now:      ${show(actual, at)}`,
  ].join('\n');
}

function partingOf(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index++;
  return index;
}

function show(value: unknown, at: number): string {
  if (value === undefined) return '(nothing)';
  const start = Math.max(0, at - BEFORE);
  const text = typeof value === 'string' ? value.slice(start, start + SHOWN) : JSON.stringify(value);
  const shown = typeof value === 'string' ? JSON.stringify(text) : text.slice(0, SHOWN);
  return `${start > 0 ? '…' : ''}${shown}${text.length >= SHOWN ? '…' : ''}`;
}

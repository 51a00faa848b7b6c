/** Restores quotations in a model's input: it may copy text that was escaped when it was shown (GT-31). */

import { restoreTags } from '../protocol/tags.js';
import type { Tool } from './tool.js';

export function restoreQuoted({ quotes = [] }: Pick<Tool, 'quotes'>, input: unknown): unknown {
  if (quotes === 'all') return restoreAll(input);
  if (quotes.length === 0 || typeof input !== 'object' || input === null) return input;
  const entries = Object.entries(input).map(([key, value]): [string, unknown] => {
    return [key, typeof value === 'string' && quotes.includes(key) ? restoreTags(value) : value];
  });
  return Object.fromEntries(entries);
}

function restoreAll(value: unknown): unknown {
  if (typeof value === 'string') return restoreTags(value);
  if (Array.isArray(value)) return value.map(restoreAll);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [restoreTags(key), restoreAll(part)]));
}

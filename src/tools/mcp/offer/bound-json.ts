/** Copies an untrusted value as plain, bounded JSON: no cycles, limited depth and length. */

import type { JsonObject } from '../../../protocol/json/json-values.js';
import { neutralizeTags } from '../../../protocol/tags.js';
import { serverText } from './server-text.js';

/** Deeper parts are dropped: no caller can fill them in. */
const DEEPEST = 40;
const MOST_VALUES = 20_000;
const MOST_CHARS = 100_000;
/** Human-readable fields. */
const PROSE = new Set(['description', 'title', '$comment']);

/**
 * Returns undefined if it is too large. Strings can't imitate our tags; if the model repeats them, the escaping is
 * undone (GT-31).
 */
export function boundJson(value: unknown): { readonly value: unknown } | undefined {
  const used = { values: 0, chars: 0 };
  const copy = boundValue(value, 0, used);
  return used.values > MOST_VALUES || used.chars > MOST_CHARS ? undefined : { value: copy };
}

type Used = { values: number; chars: number };

function boundValue(value: unknown, depth: number, used: Used): unknown {
  used.values += 1;
  if (used.values > MOST_VALUES || used.chars > MOST_CHARS) return undefined;
  switch (typeof value) {
    case 'string':
      return boundText(value, used);
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : undefined;
    case 'object':
      if (value === null) return null;
      if (depth >= DEEPEST) return undefined;
      return Array.isArray(value) ? boundList(value, depth, used) : boundFields(value as JsonObject, depth, used);
    default:
      return undefined;
  }
}

function boundText(value: string, used: Used): string | undefined {
  used.chars += value.length;
  return used.chars > MOST_CHARS ? undefined : neutralizeTags(value.toWellFormed());
}

function boundList(list: readonly unknown[], depth: number, used: Used): readonly unknown[] {
  const kept: unknown[] = [];
  for (const part of list) {
    const copy = boundValue(part, depth + 1, used);
    if (copy !== undefined) kept.push(copy);
    if (used.values > MOST_VALUES) break;
  }
  return kept;
}

function boundFields(fields: JsonObject, depth: number, used: Used): JsonObject {
  const kept: [string, unknown][] = [];
  for (const [key, part] of Object.entries(fields)) {
    const prose = typeof part === 'string' && PROSE.has(key) ? serverText(part) : part;
    const copy = boundValue(prose, depth + 1, used);
    used.chars += key.length;
    // Always an own field: `__proto__` sets no prototype.
    if (copy !== undefined) kept.push([neutralizeTags(key.toWellFormed()), copy]);
    if (used.values > MOST_VALUES || used.chars > MOST_CHARS) break;
  }
  return Object.fromEntries(kept);
}

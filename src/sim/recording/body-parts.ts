/**
 * Parts of a body: tools, system prompt and messages are large and repeated in many requests, so each is written once and
 * referenced by number. Cache breakpoints move from request to request, so they are stored with the reference. Pure.
 */

import { isObject, type JsonObject } from '../json-value.js';

const REFERENCE = '$part';
const MARK = 'cache_control';

/** By the index of the block. */
type Marks = Readonly<Record<string, unknown>>;

/** `store` returns the number of a large part; undefined for small ones. */
export function splitParts(body: unknown, store: (value: unknown) => number | undefined): unknown {
  return mapParts(body, (value) => {
    const { bare, marks } = takeMarks(value);
    const number = store(bare);
    if (number === undefined) return value;
    return { [REFERENCE]: number, ...(Object.keys(marks).length === 0 ? {} : { marks }) };
  });
}

export function joinParts(
  body: unknown,
  parts: ReadonlyMap<number, unknown>,
): { readonly body: unknown } | { readonly missing: number } {
  let missing: number | undefined;
  const joined = mapParts(body, (value) => {
    const number = isObject(value) ? value[REFERENCE] : undefined;
    if (!isObject(value) || typeof number !== 'number') return value;
    if (!parts.has(number)) missing ??= number;
    return isObject(value.marks) ? putMarks(parts.get(number), value.marks) : parts.get(number);
  });
  return missing === undefined ? { body: joined } : { missing };
}

function mapParts(body: unknown, change: (value: unknown) => unknown): unknown {
  if (!isObject(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (name === 'messages' && Array.isArray(value)) return [name, value.map(change)];
      return [name, name === 'tools' || name === 'system' ? change(value) : value];
    }),
  );
}

/** Separates a message's blocks from their breakpoints. */
function takeMarks(message: unknown): { readonly bare: unknown; readonly marks: Marks } {
  if (!isObject(message) || !Array.isArray(message.content)) return { bare: message, marks: {} };
  const marks: Record<string, unknown> = {};
  const content = message.content.map((block: unknown, index) => {
    if (!isObject(block) || !(MARK in block)) return block;
    const { [MARK]: mark, ...bare } = block;
    marks[index] = mark;
    return bare;
  });
  return { bare: { ...message, content }, marks };
}

function putMarks(message: unknown, marks: JsonObject): unknown {
  if (!isObject(message) || !Array.isArray(message.content)) return message;
  const content = message.content.map((block: unknown, index) =>
    isObject(block) && String(index) in marks ? { ...block, [MARK]: marks[String(index)] } : block,
  );
  return { ...message, content };
}

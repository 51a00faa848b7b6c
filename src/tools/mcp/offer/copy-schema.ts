/**
 * Copies a JSON Schema so that it is valid in draft 2020-12, which the API requires of every tool: one bad schema would
 * fail every request. Invalid keywords are dropped, those of older drafts are translated, and references lead to
 * `$defs` of the copy. Anything dropped makes the schema wider, never narrower.
 */

import { isObject, type JsonObject } from '../../../protocol/json/json-values.js';

export interface SchemaCopier {
  copy(schema: unknown): unknown;
  /** The schema a reference leads to in the original; undefined if it leads nowhere, outside, or in a circle. */
  resolve(ref: unknown): JsonObject | undefined;
  /** The definitions that the copies refer to. Call it last. */
  definitions(): JsonObject;
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const SCHEMAS = new Set(
  'additionalProperties contains not if then else propertyNames unevaluatedItems unevaluatedProperties contentSchema'.split(
    ' ',
  ),
);
const NAMED_SCHEMAS = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const SCHEMA_LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const TEXTS = new Set(['title', 'description', '$comment', 'format', 'contentEncoding', 'contentMediaType']);
const FLAGS = new Set(['uniqueItems', 'readOnly', 'writeOnly', 'deprecated']);
const NUMBERS = new Set(['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum']);
const COUNTS = new Set(
  'maxLength minLength maxItems minItems maxProperties minProperties minContains maxContains'.split(' '),
);
const LONGEST_PATTERN = 1_000;

export function createCopier(root: JsonObject): SchemaCopier {
  const names = new Map<string, string>();
  const waiting: string[] = [];

  const resolve = (ref: unknown): JsonObject | undefined => {
    const seen = new Set<unknown>();
    let next = ref;
    let target: unknown;
    do {
      if (seen.has(next)) return undefined;
      seen.add(next);
      target = follow(root, next);
      if (!isObject(target)) return undefined;
      next = target.$ref;
    } while (next !== undefined);
    return follow(root, ref) as JsonObject;
  };

  const nameOf = (ref: string): string => {
    const known = names.get(ref);
    if (known !== undefined) return known;
    const plain = (ref.split('/').at(-1) ?? '').replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40);
    const taken = new Set(names.values());
    const base = plain === '_' || plain === '' ? 'input' : plain;
    let name = base;
    for (let n = 2; taken.has(name); n += 1) name = `${base}_${n}`;
    names.set(ref, name);
    waiting.push(ref);
    return name;
  };

  const copy = (schema: unknown): unknown => {
    if (schema === false) return { not: {} };
    if (!isObject(schema)) return {};
    const { $ref, ...rest } = modernise(schema);
    const entries = Object.entries(rest).flatMap(([key, value]): [string, unknown][] => {
      const copied = copyKeyword(key, value);
      return copied === undefined ? [] : [[key, copied]];
    });
    const refers = typeof $ref === 'string' && resolve($ref) !== undefined;
    return Object.fromEntries(refers ? [['$ref', `#/$defs/${nameOf($ref)}`], ...entries] : entries);
  };

  const copyAll = (value: unknown): JsonObject | undefined =>
    isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copy(one)])) : undefined;

  /** Returns undefined to drop it. */
  const copyKeyword = (key: string, value: unknown): unknown => {
    if (SCHEMAS.has(key) || key === 'items') {
      if (typeof value === 'boolean') return value;
      return isObject(value) ? copy(value) : undefined;
    }
    if (key === 'patternProperties' && isObject(value))
      return copyAll(Object.fromEntries(Object.entries(value).filter(([pattern]) => isPattern(pattern))));
    if (NAMED_SCHEMAS.has(key)) return copyAll(value);
    if (SCHEMA_LISTS.has(key)) {
      const list = Array.isArray(value) ? value : isObject(value) ? [value] : [];
      return list.length === 0 ? undefined : list.map(copy);
    }
    return isValid(key, value) ? value : undefined;
  };

  const definitions = (): JsonObject => {
    const copies: [string, unknown][] = [];
    // Each copy may need more.
    for (let ref = waiting.shift(); ref !== undefined; ref = waiting.shift()) {
      copies.push([names.get(ref) ?? '', copy(follow(root, ref))]);
    }
    return Object.fromEntries(copies);
  };

  return { copy, resolve, definitions };
}

/** Keywords whose value needs no copying of schemas. */
function isValid(key: string, value: unknown): boolean {
  if (TEXTS.has(key)) return typeof value === 'string';
  if (FLAGS.has(key)) return typeof value === 'boolean';
  if (NUMBERS.has(key)) return typeof value === 'number';
  if (COUNTS.has(key)) return Number.isInteger(value) && (value as number) >= 0;
  switch (key) {
    case 'type':
      return Array.isArray(value) ? value.length > 0 && isSet(value) && value.every(isType) : isType(value);
    case 'required':
      return isNames(value);
    case 'dependentRequired':
      return isObject(value) && Object.values(value).every(isNames);
    case 'enum':
    case 'examples':
      return Array.isArray(value) && value.length > 0;
    case 'const':
    case 'default':
      return true;
    case 'multipleOf':
      return typeof value === 'number' && value > 0;
    case 'pattern':
      return typeof value === 'string' && isPattern(value);
    default:
      return false;
  }
}

function isType(value: unknown): boolean {
  return typeof value === 'string' && TYPES.has(value);
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && isSet(value) && value.every((name) => typeof name === 'string');
}

function isSet(list: readonly unknown[]): boolean {
  return new Set(list).size === list.length;
}

function isPattern(source: string): boolean {
  if (source.length > LONGEST_PATTERN) return false;
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Drafts before 2020-12 wrote tuples and exclusive bounds differently. */
function modernise(schema: JsonObject): JsonObject {
  const { items, additionalItems, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const entries = Object.entries(schema).filter(([key]) => key !== 'additionalItems');
  const changed: [string, unknown][] = [];
  if (Array.isArray(items)) changed.push(['prefixItems', items], ['items', additionalItems]);
  if (exclusiveMinimum === true) changed.push(['exclusiveMinimum', minimum], ['minimum', undefined]);
  if (exclusiveMaximum === true) changed.push(['exclusiveMaximum', maximum], ['maximum', undefined]);
  // The OpenAPI form.
  if (schema.nullable === true && isType(schema.type)) changed.push(['type', [...new Set([schema.type, 'null'])]]);
  if (Array.isArray(schema.type)) changed.push(['type', [...new Set(schema.type.filter(isType))]]);
  if (Array.isArray(schema.required))
    changed.push(['required', [...new Set(schema.required.filter((name) => typeof name === 'string'))]]);
  return Object.fromEntries([...entries, ...changed]);
}

/** A pointer within the document. */
function follow(root: JsonObject, ref: unknown): unknown {
  if (ref === '#') return root;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const step of ref.slice(2).split('/')) {
    const key = unescapeStep(step);
    if (typeof at !== 'object' || at === null || key === undefined || !Object.hasOwn(at, key)) return undefined;
    at = (at as JsonObject)[key];
  }
  return at;
}

function unescapeStep(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

/**
 * Checks the input schema of a tool: constructs that the API refuses at its root, and validity as JSON Schema draft
 * 2020-12.
 */

import { isObject, type JsonObject } from '../json-value.js';
import { invalid, type Problem } from './problem.js';

const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const SCHEMAS = new Set(
  'additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const NUMBERS = new Set(['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum', 'multipleOf']);
const COUNTS = new Set(
  'maxLength minLength maxItems minItems maxProperties minProperties minContains maxContains'.split(' '),
);
const TEXTS = new Set(['title', 'description', '$comment', 'format', 'pattern', '$schema', '$id', '$anchor']);
const FLAGS = new Set(['uniqueItems', 'readOnly', 'writeOnly', 'deprecated']);

export function checkSchema(schema: JsonObject, path: string): Problem | undefined {
  if (['oneOf', 'allOf', 'anyOf'].some((key) => key in schema)) {
    return invalid(`${path}: input_schema does not support oneOf, allOf, or anyOf at the top level`);
  }
  const names = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  if (names.some((name) => !PROPERTY.test(name))) {
    return invalid(`${path}.properties: Property keys should match pattern '${PROPERTY.source}'`);
  }
  if (isSchema(schema, schema)) return undefined;
  return invalid(
    `${path}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.`,
  );
}

function isSchema(value: unknown, root: JsonObject): boolean {
  if (typeof value === 'boolean') return true;
  return isObject(value) && Object.entries(value).every(([key, part]) => isKeyword(key, part, root));
}

function isKeyword(key: string, value: unknown, root: JsonObject): boolean {
  if (SCHEMAS.has(key)) return isSchema(value, root);
  if (NAMED.has(key)) return isObject(value) && Object.values(value).every((one) => isSchema(one, root));
  if (LISTS.has(key)) return isFull(value) && value.every((one) => isSchema(one, root));
  if (NUMBERS.has(key)) return typeof value === 'number';
  if (COUNTS.has(key)) return typeof value === 'number' && Number.isInteger(value) && value >= 0;
  if (TEXTS.has(key)) return typeof value === 'string';
  if (FLAGS.has(key)) return typeof value === 'boolean';
  switch (key) {
    case 'type':
      return isType(value) || (isFull(value) && isSet(value) && value.every(isType));
    case 'required':
      return Array.isArray(value) && isSet(value) && value.every((name) => typeof name === 'string');
    case 'enum':
    case 'examples':
      return Array.isArray(value);
    case '$ref':
      return typeof value === 'string' && (!value.startsWith('#') || resolves(root, value));
    default:
      return true;
  }
}

function isType(value: unknown): boolean {
  return typeof value === 'string' && TYPES.has(value);
}

function isFull(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function isSet(list: readonly unknown[]): boolean {
  return new Set(list).size === list.length;
}

function resolves(root: JsonObject, ref: string): boolean {
  if (!ref.startsWith('#/')) return ref === '#';
  let at: unknown = root;
  for (const step of ref.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as JsonObject)[key];
  }
  return true;
}

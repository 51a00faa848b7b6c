/** Converts a server's input schema to a form that the API accepts, and the model's input back to the server's. */

import { createHash } from 'node:crypto';
import { isObject, type JsonObject, objectOf } from '../../../protocol/json/json-values.js';
import type { Result } from '../../../protocol/result.js';
import { restoreTags } from '../../../protocol/tags.js';
import type { JsonSchema } from '../../tool.js';
import { boundJson } from './bound-json.js';
import { createCopier } from './copy-schema.js';
import { flattenRoot } from './flatten-root.js';

export type DeclaredSchema = Result<{
  readonly schema: JsonSchema;
  /** Constraints that the schema can't express, for the description. */
  readonly notes: readonly string[];
  /** The input with the server's own field names. */
  toServer(input: JsonObject): JsonObject;
}>;

/** The names that the API accepts, at the root only. */
const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;
const LONGEST = 64;

export function declareSchema(given: unknown): DeclaredSchema {
  try {
    const bounded = boundJson(given ?? {});
    if (bounded === undefined) return { ok: false, reason: 'its input schema is too large' };
    const root = bounded.value === true ? {} : bounded.value;
    if (!isObject(root)) return { ok: false, reason: 'its input schema is not a schema' };
    if (!takesObject(root)) return { ok: false, reason: 'its input is not an object' };
    return declareRoot(root);
  } catch {
    // Reading an in-process object may run any code.
    return { ok: false, reason: 'its input schema can not be read' };
  }
}

function takesObject({ type }: JsonObject): boolean {
  return type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function declareRoot(root: JsonObject): DeclaredSchema {
  const copier = createCopier(root);
  const { properties, required, notes } = flattenRoot(root, copier);
  const names = mapNames([...properties.keys()]);
  const declared = [...properties].map(([name, schemas]): [string, unknown] => {
    const copies = schemas.map((schema) => copier.copy(schema));
    const schema = copies.length === 1 ? copies[0] : { anyOf: copies };
    return [names.get(name) ?? name, names.has(name) ? describeRenamed(schema, name) : schema];
  });
  const needed = [...required].map((name) => names.get(name) ?? name).filter((name) => PROPERTY.test(name));
  const rest = copyRest(root, copier.copy, names.size > 0);
  const definitions = copier.definitions();
  const schema: JsonSchema = Object.freeze({
    ...rest,
    type: 'object',
    properties: Object.fromEntries(declared),
    ...(needed.length > 0 ? { required: needed } : {}),
    ...(Object.keys(definitions).length > 0 ? { $defs: definitions } : {}),
  });
  const original = new Map([...names].map(([name, mapped]) => [mapped, restoreTags(name)]));
  const toServer = (input: JsonObject): JsonObject =>
    original.size === 0
      ? input
      : Object.fromEntries(Object.entries(input).map(([key, value]) => [original.get(key) ?? key, value]));
  return { ok: true, schema, notes, toServer };
}

/** Keywords about the whole input. If fields are renamed, those that refer to names are dropped. */
const WHOLE = ['additionalProperties', 'unevaluatedProperties', 'minProperties', 'maxProperties', 'patternProperties'];
const BY_NAME = ['if', 'then', 'else', 'not', 'propertyNames', 'dependentRequired', 'dependentSchemas'];

function copyRest(root: JsonObject, copy: (schema: unknown) => unknown, isRenamed: boolean): JsonObject {
  const kept = [...WHOLE, ...(isRenamed ? [] : BY_NAME)].filter((key) => key in root);
  const copied = copy(Object.fromEntries(kept.map((key) => [key, root[key]])));
  return objectOf(copied);
}

/** Maps each name that the API rejects to one that it accepts. */
function mapNames(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(names.filter((name) => PROPERTY.test(name)));
  const mapped = new Map<string, string>();
  for (const name of names.filter((one) => !PROPERTY.test(one)).sort()) {
    const plain = name.replace(/[^a-zA-Z0-9_.-]/gu, '_').slice(0, LONGEST) || 'field';
    const hash = createHash('sha256').update(name).digest('hex').slice(0, 12);
    const free = taken.has(plain) ? `${plain.slice(0, LONGEST - hash.length - 1)}_${hash}` : plain;
    taken.add(free);
    mapped.set(name, free);
  }
  return mapped;
}

function describeRenamed(schema: unknown, name: string): unknown {
  if (!isObject(schema)) return schema;
  const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 80).toWellFormed()}…` : name);
  const description = typeof schema.description === 'string' ? ` ${schema.description}` : '';
  return { ...schema, description: `The server's name for it: ${shown}.${description}` };
}

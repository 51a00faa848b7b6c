/**
 * The schema of a session's results: validated, declared in the form the API accepts, and checked against each value.
 */

import { createContext, Script } from 'node:vm';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { isObject, type JsonObject, mapValues } from '../../protocol/json/json-values.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { type Failure, fail, type Result } from '../../protocol/result.js';
import type { JsonSchema } from '../tool.js';

export type OutputSchema = {
  readonly ok: true;
  /** The schema declared to the model. */
  readonly declared: JsonSchema;
  /** Tools take only objects: any other value is the field `value` of the input. */
  readonly isWrapped: boolean;
  /** The mismatches, with their paths; undefined if the value is valid. */
  problemOf(value: unknown): string | undefined;
};

/** The limit of its JSON, which is part of every request. */
const MOST_CHARS = 100_000;
/** Deeper schemas can be written with `$defs`. */
const DEEPEST = 64;
/** The limit of a text about mismatches. */
const LONGEST_PROBLEM = 2_000;
const META_SCHEMA = 'https://json-schema.org/draft/2020-12/schema';
/** The names that the API accepts at the root. */
const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;
/** Keywords that the API rejects at the root. */
const NOT_AT_ROOT = ['anyOf', 'oneOf', 'allOf', '$ref', '$dynamicRef'];

export function readOutputSchema(given: unknown): OutputSchema | Failure {
  const copied = copySchema(given);
  if (!copied.ok) return copied;
  const { schema } = copied;
  try {
    const wrong = new AjvJsonSchemaValidator().getValidator({ $ref: META_SCHEMA })(schema);
    if (!wrong.valid) return fail(`it is not JSON Schema (draft 2020-12): ${describe(wrong.errorMessage)}`);
    const validate = new AjvJsonSchemaValidator().getValidator(schema);
    const isWrapped = !isTakenAsIs(schema);
    return {
      ok: true,
      declared: Object.freeze(isWrapped ? wrap(schema) : { ...withoutDialect(schema), type: 'object' }),
      isWrapped,
      problemOf: (value) => {
        const result = withinLimits(() => validate(value));
        if (typeof result === 'string') return result;
        return result.valid ? undefined : describe(result.errorMessage);
      },
    };
  } catch (error) {
    // The compiler's message: a dangling reference, an unknown dialect.
    return fail(describe(reasonOf(error)));
  }
}

/** The time limit for checking a value. */
const CHECK_LIMIT_MS = 1_000;
const CHECK = new Script('check()');

/** A pattern can take forever on text that the model chooses, and a recursive schema can go as deep as the text. */
function withinLimits<T>(check: () => T): T | string {
  try {
    return CHECK.runInContext(createContext({ check }), { timeout: CHECK_LIMIT_MS }) as T;
  } catch (error) {
    return error instanceof RangeError
      ? 'it is nested too deeply to be checked'
      : `it could not be checked within ${CHECK_LIMIT_MS / 1000} s: its texts are too long, or too much like what a pattern looks for`;
  }
}

/** A plain JSON copy that nothing else can change. */
function copySchema(given: unknown): Result<{ readonly schema: JsonObject }> {
  let text: string | undefined;
  try {
    text = JSON.stringify(given);
  } catch (error) {
    return fail(`it can't be written as JSON: ${reasonOf(error)}`);
  }
  if (text === undefined) return fail('it is not an object');
  if (text.length > MOST_CHARS) {
    return fail(`it is ${text.length} characters long, and at most ${MOST_CHARS} are taken`);
  }
  const schema: unknown = JSON.parse(text);
  if (!isObject(schema)) return fail('it is not an object');
  if (!isWithin(schema, DEEPEST)) {
    return fail(`it is nested more than ${DEEPEST} levels deep: use $defs and $ref instead`);
  }
  // Its validator would be asynchronous, and a promise would pass for a valid value.
  if ('$async' in schema) return fail('$async is not part of JSON Schema');
  return { ok: true, schema };
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => isWithin(part, levels - 1));
}

function isTakenAsIs(schema: JsonObject): boolean {
  const { type, properties } = schema;
  const takesObject = type === 'object' || (type === undefined && isObject(properties));
  const names = isObject(properties) ? Object.keys(properties) : [];
  return takesObject && !NOT_AT_ROOT.some((key) => key in schema) && names.every((name) => PROPERTY.test(name));
}

function withoutDialect({ $schema: _, ...schema }: JsonObject): JsonObject {
  return schema;
}

function wrap(schema: JsonObject): JsonSchema {
  // References within a schema that has an id are relative to that.
  const value = '$id' in schema ? schema : relocate(withoutDialect(schema));
  return { type: 'object', properties: { value }, required: ['value'], additionalProperties: false };
}

/** The path of the schema's root in the declared one. */
const NEW_ROOT = '#/properties/value';
/** Values, not schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);
/** Schemas under free names, which may equal a keyword. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);

function relocate(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(relocate);
  if (!isObject(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]): [string, unknown] => {
      if (key === '$ref' && typeof value === 'string') return [key, value.replace(/^#(?=\/|$)/, NEW_ROOT)];
      if (NAMED.has(key) && isObject(value)) return [key, mapValues(value, relocate)];
      return [key, DATA.has(key) ? value : relocate(value)];
    }),
  );
}

/** The validator calls the value `data`, repeats itself, and has no limit if much is wrong. */
function describe(content: string): string {
  const parts = new Set(content.split(/, (?=data[/ ])/));
  const output = [...parts]
    .map((part) => part.replace(/^data(?=\/)/, '').replace(/^data(?= )/, 'the value'))
    .join('; ');
  return output.length > LONGEST_PROBLEM ? `${output.slice(0, LONGEST_PROBLEM).toWellFormed()}…` : output;
}

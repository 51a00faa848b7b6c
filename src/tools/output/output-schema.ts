/** The schema of a session's results: refused if it is none, declared as the API takes it, and held against each value. */

import { createContext, Script } from 'node:vm';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { isRecord } from '../../config/json-values.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { JsonSchema } from '../tool.js';

export type OutputSchema = {
  readonly ok: true;
  /** What the model gets. */
  readonly declared: JsonSchema;
  /** Tools take objects only: another value is the field `value` of the input. */
  readonly isWrapped: boolean;
  /** What of it does not fit, with the paths; undefined if all does. */
  problemOf(value: unknown): string | undefined;
};

type Refused = { readonly ok: false; readonly reason: string };
type Fields = Readonly<Record<string, unknown>>;

/** Of its JSON. It is part of every request. */
const MOST_CHARS = 100_000;
/** Deeper ones can be written with `$defs`. */
const DEEPEST = 64;
/** Of a text about what does not fit. */
const LONGEST_PROBLEM = 2_000;
const META_SCHEMA = 'https://json-schema.org/draft/2020-12/schema';
/** The names that the API takes at the root. */
const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;
/** What it does not take at the root. */
const NOT_AT_ROOT = ['anyOf', 'oneOf', 'allOf', '$ref', '$dynamicRef'];

export function readOutputSchema(given: unknown): OutputSchema | Refused {
  const copied = copySchema(given);
  if (!copied.ok) return copied;
  const { schema } = copied;
  try {
    const wrong = new AjvJsonSchemaValidator().getValidator({ $ref: META_SCHEMA })(schema);
    if (!wrong.valid) return refuse(`it is not JSON Schema (draft 2020-12): ${describe(wrong.errorMessage)}`);
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
    // The compiler's own words: a reference that leads nowhere, an unknown dialect.
    return refuse(describe(reasonOf(error)));
  }
}

/** How long a value is looked at. */
const CHECK_LIMIT_MS = 1_000;
const CHECK = new Script('check()');

/** A pattern can take for ever on a text that the model chooses, and a schema that refers to itself can go as deep as it. */
function withinLimits<T>(check: () => T): T | string {
  try {
    return CHECK.runInContext(createContext({ check }), { timeout: CHECK_LIMIT_MS }) as T;
  } catch (error) {
    return error instanceof RangeError
      ? 'it is nested too deeply to be checked'
      : `it could not be checked within ${CHECK_LIMIT_MS / 1000} s: its texts are too long, or too much like what a pattern looks for`;
  }
}

/** Plain JSON that nobody else can change. */
function copySchema(given: unknown): { readonly ok: true; readonly schema: Fields } | Refused {
  let text: string | undefined;
  try {
    text = JSON.stringify(given);
  } catch (error) {
    return refuse(`it can't be written as JSON: ${reasonOf(error)}`);
  }
  if (text === undefined) return refuse('it is not an object');
  if (text.length > MOST_CHARS) {
    return refuse(`it is ${text.length} characters long, and at most ${MOST_CHARS} are taken`);
  }
  const schema: unknown = JSON.parse(text);
  if (!isRecord(schema)) return refuse('it is not an object');
  if (!isWithin(schema, DEEPEST)) {
    return refuse(`it is nested more than ${DEEPEST} levels deep: use $defs and $ref instead`);
  }
  // Its validator would answer later, and a promise looks like a value that fits.
  if ('$async' in schema) return refuse('$async is not part of JSON Schema');
  return { ok: true, schema };
}

function refuse(reason: string): Refused {
  return { ok: false, reason };
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => isWithin(part, levels - 1));
}

function isTakenAsIs(schema: Fields): boolean {
  const { type, properties } = schema;
  const isObject = type === 'object' || (type === undefined && isRecord(properties));
  const names = isRecord(properties) ? Object.keys(properties) : [];
  return isObject && !NOT_AT_ROOT.some((key) => key in schema) && names.every((name) => PROPERTY.test(name));
}

function withoutDialect({ $schema: _, ...schema }: Fields): Fields {
  return schema;
}

function wrap(schema: Fields): JsonSchema {
  // References within a schema that has an id are relative to that.
  const value = '$id' in schema ? schema : relocate(withoutDialect(schema));
  return { type: 'object', properties: { value }, required: ['value'], additionalProperties: false };
}

/** Where the root of the schema is in the declared one. */
const NEW_ROOT = '#/properties/value';
/** Values, not schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);
/** Schemas under names of their own: one may be called like a keyword. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);

function relocate(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(relocate);
  if (!isRecord(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]): [string, unknown] => {
      if (key === '$ref' && typeof value === 'string') return [key, value.replace(/^#(?=\/|$)/, NEW_ROOT)];
      if (NAMED.has(key) && isRecord(value)) return [key, mapValues(value, relocate)];
      return [key, DATA.has(key) ? value : relocate(value)];
    }),
  );
}

function mapValues(fields: Fields, map: (value: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value)]));
}

/** The validator calls the value `data`, says some things several times, and has no end where much is wrong. */
function describe(words: string): string {
  const parts = new Set(words.split(/, (?=data[/ ])/));
  const said = [...parts].map((part) => part.replace(/^data(?=\/)/, '').replace(/^data(?= )/, 'the value')).join('; ');
  return said.length > LONGEST_PROBLEM ? `${said.slice(0, LONGEST_PROBLEM).toWellFormed()}…` : said;
}

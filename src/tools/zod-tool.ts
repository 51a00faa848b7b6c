/** Builds a tool from a zod schema: its JSON Schema for the model and its parser come from one definition. */

import * as z from 'zod';
import { isObject, parseJson } from '../protocol/json/json-values.js';
import { once } from '../protocol/once.js';
import { nearestNames } from './nearest-names.js';
import type { JsonSchema, ParsedInput, Tool } from './tool.js';

export type ZodToolDefinition<Input> = Omit<Tool<Input>, 'inputSchema' | 'parse'> & {
  /**
   * Called when the first input is parsed: building schemas is slower than everything else before the first request.
   */
  readonly schema: () => z.ZodType<Input>;
  /** The declared schema, if it is known already or narrower than what the parser accepts. */
  readonly inputSchema?: JsonSchema;
};

export type ZodTool<Input> = Tool<Input> & Pick<ZodToolDefinition<Input>, 'schema'>;

export function zodTool<Input>(definition: ZodToolDefinition<Input>): ZodTool<Input> {
  const { inputSchema, ...tool } = definition;
  const schema = once(tool.schema);
  const declared = once(() => inputSchema ?? toJsonSchema(schema()));
  return {
    ...tool,
    schema,
    get inputSchema() {
      return declared();
    },
    parse: (raw) => parseInput(tool.name, schema(), raw),
  };
}

export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: 'input' });
  return Object.freeze(jsonSchema);
}

type Issue = z.core.$ZodIssue;

function parseInput<Input>(tool: string, schema: z.ZodType<Input>, raw: unknown): ParsedInput<Input> {
  const fields = parseFields(tool, raw);
  if (!fields.ok) return fields;
  const given = fields.input;
  const first = schema.safeParse(given);
  if (first.success) return { ok: true, input: first.data };
  const mended = first.error.issues.reduce<unknown>((value, issue) => repair(value, issue), given);
  const second = schema.safeParse(mended);
  if (second.success) return { ok: true, input: second.data };
  const lines = second.error.issues.slice(0, 5).map((issue) => `- ${explain(issue, mended)}`);
  return { ok: false, reason: `${tool}: the input is not valid; nothing ran.\n${lines.join('\n')}` };
}

export type InputFields = Readonly<Record<string, unknown>>;

/** Accepts an object with any fields, also as JSON text. A missing input is treated as an empty object. */
export function parseFields(tool: string, raw: unknown): ParsedInput<InputFields> {
  const value = typeof raw === 'string' ? parseJson(raw) : (raw ?? {});
  if (isObject(value)) return { ok: true, input: value };
  return { ok: false, reason: `${tool}: the input must be an object with fields, got ${show(raw)}.` };
}

/** Returns a copy with the value at the issue's path corrected, or the same value if its meaning is ambiguous. */
function repair(root: unknown, issue: Issue): unknown {
  if (issue.code !== 'invalid_type') return root;
  const value = at(root, issue.path);
  // null for an optional field means "omitted"; a required field then fails as missing.
  if (value === null) return put(root, issue.path, undefined);
  const better = coerce(value, issue.expected);
  return better === undefined ? root : put(root, issue.path, better);
}

function coerce(value: unknown, expected: string): unknown {
  if (expected === 'string') return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  if (typeof value !== 'string') return undefined;
  switch (expected) {
    case 'number':
    case 'int':
      return /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
    case 'boolean':
      return /^\s*(true|false)\s*$/i.test(value) ? value.trim().toLowerCase() === 'true' : undefined;
    case 'array': {
      const parsed = parseJson(value);
      return Array.isArray(parsed) ? parsed : undefined;
    }
    case 'object': {
      const parsed = parseJson(value);
      return isObject(parsed) ? parsed : undefined;
    }
    default:
      return undefined;
  }
}

function explain(issue: Issue, root: unknown): string {
  const value = at(root, issue.path);
  const field = issue.path.length === 0 ? 'the input' : `"${issue.path.map(String).join('.')}"`;
  switch (issue.code) {
    case 'invalid_type':
      if (value === undefined)
        return `${field} is missing: expected ${article(issue.expected)}.${resolved(issue, root)}`;
      return `${field}: expected ${article(issue.expected)}, got ${show(value)}.`;
    case 'invalid_value': {
      const choices = issue.values.map((choice) => JSON.stringify(choice)).join(', ');
      return `${field}: expected one of ${choices}, got ${show(value)}.`;
    }
    case 'too_small':
      if (issue.message.startsWith('is ')) return `${field} ${issue.message}.`;
      return `${field}: expected at least ${issue.minimum}, got ${show(value)}.`;
    case 'too_big':
      if (issue.message.startsWith('is ')) return `${field} ${issue.message}.`;
      return `${field}: expected at most ${issue.maximum}, got ${show(value)}.`;
    default:
      return `${field} ${issue.message}; got ${show(value)}.`;
  }
}

/** A hint if a field with a similar name was given. */
function resolved(issue: Issue, root: unknown): string {
  const parent = at(root, issue.path.slice(0, -1));
  const requested = issue.path.at(-1);
  if (typeof parent !== 'object' || parent === null || typeof requested !== 'string') return '';
  const near = nearestNames(requested.replaceAll('_', ''), Object.keys(parent));
  return near[0] === undefined ? '' : ` There is a field "${near[0]}"; did you mean "${requested}"?`;
}

function at(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    return typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined;
  }, root);
}

function put(root: unknown, path: readonly PropertyKey[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined || typeof root !== 'object' || root === null) return value;
  const copy: Record<PropertyKey, unknown> | unknown[] = Array.isArray(root) ? [...root] : { ...root };
  const fields = copy as Record<PropertyKey, unknown>;
  if (value === undefined && rest.length === 0) delete fields[key];
  else fields[key] = put(fields[key], rest, value);
  return copy;
}

function article(expected: string): string {
  if (expected === 'int') return 'a whole number';
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string')
    return `the string ${JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)}`;
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return `${value === null ? '' : `the ${typeof value} `}${String(value)}`;
}

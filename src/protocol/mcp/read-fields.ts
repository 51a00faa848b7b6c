/** Reads the flat schema of a server's form. */

import { escapeToLine } from '../escape-controls.js';
import { isObject, type JsonObject } from '../json/json-values.js';
import type { Result } from '../result.js';
import { neutralizeTags } from '../tags.js';
import { checkValue } from './check-content.js';
import { type ElicitationChoice, type ElicitationField, TEXT_FORMATS } from './elicitation-form.js';

type FieldsRead = Result<{ readonly fields: readonly ElicitationField[] }>;

/** More than anyone would fill in. */
const MOST_FIELDS = 50;

export function readFields(schema: JsonObject): FieldsRead {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : undefined;
  if (schema.type !== 'object' || properties === undefined) return { ok: false, reason: 'its form has no fields' };
  if (properties.length > MOST_FIELDS) return { ok: false, reason: `its form has more than ${MOST_FIELDS} fields` };
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields: ElicitationField[] = [];
  for (const [name, property] of properties) {
    const field = isObject(property) ? readField(name, property, required.has(name)) : undefined;
    if (field === undefined) return { ok: false, reason: `its field "${escapeToLine(name)}" has an unsupported type` };
    fields.push(field);
  }
  const missing = [...required].find((name) => !fields.some((field) => field.name === name));
  if (missing !== undefined) return { ok: false, reason: `it requires a field that its form does not have` };
  return { ok: true, fields };
}

function readField(name: string, property: JsonObject, required: boolean): ElicitationField | undefined {
  const base = {
    name,
    title: shown(property.title) ?? escapeToLine(neutralizeTags(name)),
    ...optional('description', shown(property.description)),
    required,
  };
  const bare = bareField(base, property);
  if (bare === undefined) return undefined;
  const given = property.default;
  // A default that the form itself would refuse is useless.
  return given !== undefined && checkValue(bare, given) === undefined
    ? { ...bare, default: given as NonNullable<ElicitationField['default']> }
    : bare;
}

type Base = Pick<ElicitationField, 'name' | 'title' | 'description' | 'required'>;

function bareField(base: Base, property: JsonObject): ElicitationField | undefined {
  switch (property.type) {
    case 'boolean':
      return { ...base, type: 'boolean' };
    case 'number':
    case 'integer':
      return { ...base, type: property.type, ...numbers(property, ['minimum', 'maximum']) };
    case 'string': {
      const choices = readChoices(property, 'oneOf');
      if (choices !== undefined) return choices.length === 0 ? undefined : { ...base, type: 'choice', choices };
      const format = TEXT_FORMATS.find((one) => one === property.format);
      return {
        ...base,
        type: 'string',
        ...optional('format', format),
        ...numbers(property, ['minLength', 'maxLength']),
      };
    }
    case 'array': {
      const choices = isObject(property.items) ? readChoices(property.items, 'anyOf') : undefined;
      if (choices === undefined || choices.length === 0) return undefined;
      return { ...base, type: 'choices', choices, ...numbers(property, ['minItems', 'maxItems']) };
    }
    default:
      return undefined;
  }
}

/**
 * Returns undefined if any text is allowed. Titled choices are in `oneOf` or `anyOf`, or in `enum` with `enumNames`.
 */
function readChoices(property: JsonObject, titled: 'oneOf' | 'anyOf'): readonly ElicitationChoice[] | undefined {
  const named = property[titled] ?? property.oneOf;
  if (Array.isArray(named)) {
    return named.flatMap((one: unknown) =>
      isObject(one) && typeof one.const === 'string' ? [choice(one.const, one.title)] : [],
    );
  }
  if (!Array.isArray(property.enum)) return undefined;
  const names: readonly unknown[] = Array.isArray(property.enumNames) ? property.enumNames : [];
  return property.enum.flatMap((value: unknown, index) =>
    typeof value === 'string' ? [choice(value, names[index])] : [],
  );
}

function choice(value: string, title: unknown): ElicitationChoice {
  return { value, label: shown(title) ?? escapeToLine(neutralizeTags(value)) };
}

/** True for fields that ask for a secret, which should not be typed into a form. */
export function isSecret({ name, title }: ElicitationField): boolean {
  return /pass(?:word|wd|phrase|code)|secret|token|api[\s_-]?key|private[\s_-]?key|credential|(?:^|[^a-z])(?:pin|otp|cvc|cvv)(?:$|[^a-z])/i.test(
    `${name} ${title}`,
  );
}

const MOST_SHOWN = 1_000;

/** Text of a server, on one line. */
function shown(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  const line = escapeToLine(neutralizeTags(text.trim()));
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN).toWellFormed()}…` : line;
}

function numbers<K extends string>(property: JsonObject, names: readonly K[]): { readonly [N in K]?: number } {
  const found = names.filter((name) => typeof property[name] === 'number').map((name) => [name, property[name]]);
  return Object.fromEntries(found) as { readonly [N in K]?: number };
}

function optional<K extends string, V>(name: K, value: V | undefined): { readonly [N in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [N in K]?: V };
}

/**
 * Flattens the root of an input schema: the API accepts no `anyOf`, `oneOf` or `allOf` there, so it becomes one object,
 * and notes describe the rest.
 */

import { isObject, type JsonObject } from '../../../protocol/json/json-values.js';
import type { SchemaCopier } from './copy-schema.js';

export type FlatRoot = {
  /** The schemas of each field in the branches. */
  readonly properties: ReadonlyMap<string, readonly unknown[]>;
  readonly required: ReadonlySet<string>;
  /** Sentences for the description. */
  readonly notes: readonly string[];
};

const DEEPEST = 8;
const MOST_BRANCHES = 200;
/** The limit for the note about all branches. */
const LONGEST_NOTE = 600;
const CONDITIONS = ['if', 'not', 'dependentSchemas', 'dependentRequired', 'patternProperties'];

export function flattenRoot(root: JsonObject, { resolve }: Pick<SchemaCopier, 'resolve'>): FlatRoot {
  return flatten(root, { resolve, left: MOST_BRANCHES }, 0);
}

/** `left`: how many branches may still be visited. With references, a few lines can stand for millions of them. */
type Work = { readonly resolve: SchemaCopier['resolve']; left: number };

function flatten(schema: JsonObject, work: Work, depth: number): FlatRoot {
  const properties = new Map<string, unknown[]>();
  const required = new Set<string>();
  const notes: string[] = [];
  const add = (one: Pick<FlatRoot, 'properties' | 'notes'>) => {
    for (const [name, schemas] of one.properties) properties.set(name, unite(properties.get(name) ?? [], schemas));
    notes.push(...one.notes);
  };
  const flat = (branch: JsonObject) => flatten(branch, work, depth + 1);
  if (isObject(schema.properties)) {
    for (const [name, property] of Object.entries(schema.properties)) properties.set(name, [property]);
  }
  for (const name of Array.isArray(schema.required) ? schema.required : []) {
    if (typeof name === 'string') required.add(name);
  }
  work.left -= 1;
  if (depth >= DEEPEST || work.left <= 0) return { properties, required, notes };
  const referred = schema.$ref === undefined ? undefined : work.resolve(schema.$ref);
  const all = [...(referred ? [referred] : []), ...branchesOf(schema.allOf)];
  for (const branch of all) {
    const one = flat(branch);
    add(one);
    for (const name of one.required) required.add(name);
    if (CONDITIONS.some((key) => key in branch)) notes.push('The server checks more than this schema says.');
  }
  for (const [key, content] of [
    ['anyOf', 'At least'],
    ['oneOf', 'Exactly'],
  ] as const) {
    const branches = branchesOf(schema[key]).map(flat);
    if (branches.length === 0) continue;
    for (const branch of branches) add(branch);
    const [first, ...others] = branches;
    for (const name of first?.required ?? []) if (others.every((one) => one.required.has(name))) required.add(name);
    if (branches.length > 1) notes.push(`${content} one of these must hold: ${describe(branches)}.`);
  }
  return { properties, required, notes: [...new Set(notes)] };
}

function branchesOf(value: unknown): readonly JsonObject[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter(isObject).slice(0, MOST_BRANCHES);
}

function unite(known: readonly unknown[], more: readonly unknown[]): unknown[] {
  const texts = new Set(known.map((schema) => JSON.stringify(schema)));
  return [...known, ...more.filter((schema) => !texts.has(JSON.stringify(schema)))];
}

function describe(branches: readonly FlatRoot[]): string {
  const content = branches
    .map(({ properties, required }, index) => {
      const optional = [...properties.keys()].filter((name) => !required.has(name));
      const needs = [...required].map((name) => `${name}${fixedValue(properties.get(name))}`);
      const parts = [
        ...(needs.length > 0 ? [needs.join(', ')] : []),
        ...(optional.length > 0 ? [`optional ${optional.join(', ')}`] : []),
      ];
      return `(${index + 1}) ${parts.join('; ') || 'any fields'}`;
    })
    .join(' ');
  return content.length > LONGEST_NOTE ? `${content.slice(0, LONGEST_NOTE).toWellFormed()}…` : content;
}

/** The single value of a field in a branch, if it distinguishes the branch. */
function fixedValue(schemas: readonly unknown[] | undefined): string {
  const [only, ...more] = schemas ?? [];
  if (!isObject(only) || more.length > 0 || !('const' in only)) return '';
  return ` = ${JSON.stringify(only.const)?.slice(0, 60)}`;
}

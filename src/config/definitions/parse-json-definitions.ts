/** Parses definitions given as JSON (`--agents`, the `agents` setting): same fields, with `prompt` as the body. Pure. */

import { isObject } from '../../protocol/json/json-values.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Problem } from '../problem.js';
import { findJsonPositions } from '../settings/json-positions.js';
import type { AgentDefinition, DefinitionSource } from './agent-definition.js';
import { buildDefinition } from './build-definition.js';
import type { RawField } from './definition-fields.js';
import { normaliseName } from './definition-name.js';

export type JsonDefinitions = {
  readonly definitions: readonly AgentDefinition[];
  readonly problems: readonly Problem[];
};

/** `input` is an object (name → fields), a list of objects with `name`, or the JSON text of either. */
export function parseJsonDefinitions(input: unknown, source: DefinitionSource): JsonDefinitions {
  const read = typeof input === 'string' ? readJson(input) : { ok: true as const, value: input };
  const refuse = (message: string, position: { line?: number; column?: number } = {}): JsonDefinitions => ({
    definitions: [],
    problems: [{ severity: 'error', file: source.file, ...position, message }],
  });
  if (!read.ok) return refuse(`not valid JSON: ${read.message}`, read.position);
  const entries = entriesOf(read.value);
  if (entries === undefined) {
    return refuse('expected an object: {"name": {"description": "…", "prompt": "…"}}');
  }
  const parsed = entries.map(([name, value]) => parseJsonDefinition(name, value, source));
  return {
    definitions: parsed.flatMap((one) => one.definition ?? []),
    problems: parsed.flatMap((one) => one.problems),
  };
}

export function parseJsonDefinition(
  name: string | undefined,
  value: unknown,
  source: DefinitionSource,
): { readonly definition: AgentDefinition | undefined; readonly problems: readonly Problem[] } {
  const called = name === undefined ? 'an agent' : `the agent "${name}"`;
  const problem = (severity: Problem['severity'], message: string): Problem => ({
    severity,
    file: source.file,
    message: `${called}: ${message}`,
  });
  if (!isObject(value)) {
    return { definition: undefined, problems: [problem('error', 'expected an object with description and prompt')] };
  }
  const { prompt, ...members } = value;
  const fields = Object.entries(members).map(([key, member]): RawField => ({ key, value: member }));
  if (name !== undefined && !('name' in members)) fields.push({ key: 'name', value: name });
  const wrong = prompt !== undefined && typeof prompt !== 'string';
  const built = buildDefinition({
    fields,
    prompt: typeof prompt === 'string' ? prompt.trim() : '',
    fallbackName: name === undefined ? undefined : normaliseName(name),
    source,
  });
  const notes = built.notes.map((note) => problem(note.severity, note.message));
  return {
    definition: built.definition,
    problems: wrong ? [problem('warning', 'prompt: expected a string; an empty prompt is used'), ...notes] : notes,
  };
}

function readJson(text: string) {
  try {
    return { ok: true as const, value: JSON.parse(text) as unknown };
  } catch (error) {
    const positions = findJsonPositions(text);
    if (!positions.ok) return { ok: false as const, message: positions.message, position: positions.position };
    return { ok: false as const, message: reasonOf(error), position: {} };
  }
}

function entriesOf(value: unknown): readonly (readonly [string | undefined, unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((one) => [undefined, one] as const);
  return typeof value === 'object' && value !== null ? Object.entries(value) : undefined;
}

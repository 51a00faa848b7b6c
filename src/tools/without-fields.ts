import type { JsonSchema } from './tool.js';

type ObjectSchema = JsonSchema & { readonly properties: Readonly<Record<string, unknown>> };

/** Removes fields that a session does not support from a schema. None of them is required. */
export function withoutFields<Schema extends ObjectSchema>(
  schema: Schema,
  names: readonly (keyof Schema['properties'])[],
): JsonSchema {
  const kept = Object.entries(schema.properties).filter(([name]) => !names.includes(name));
  return { ...schema, properties: Object.fromEntries(kept) };
}

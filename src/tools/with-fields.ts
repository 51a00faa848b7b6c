import type { JsonSchema } from './tool.js';

type ObjectSchema = JsonSchema & { readonly properties: Readonly<Record<string, unknown>> };

/** The schema with these of its fields, in this order. Those it requires must be among them. */
export function withFields(schema: ObjectSchema, names: readonly string[]): JsonSchema {
  return { ...schema, properties: Object.fromEntries(names.map((name) => [name, schema.properties[name]])) };
}

/** Safe access to JSON of unknown shape. */

export { isObject, type JsonObject } from '../protocol/json/json-values.js';

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

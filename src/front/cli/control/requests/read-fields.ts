/** Reads the fields of a control request. What is missing or of another type is refused by name. */

import { isObject } from '../../../../protocol/json/json-values.js';
import { type RequestFields, RequestRefused } from './request-handler.js';

export function textIn(request: RequestFields, name: string): string {
  const value = optionalTextIn(request, name);
  if (value === undefined || value.trim() === '') throw wrong(request, name, 'a text that is not empty');
  return value;
}

export function optionalTextIn(request: RequestFields, name: string): string | undefined {
  const value = request[name] ?? undefined;
  if (value !== undefined && typeof value !== 'string') throw wrong(request, name, 'a text');
  return value;
}

export function optionalFlagIn(request: RequestFields, name: string): boolean {
  const value = request[name] ?? false;
  if (typeof value !== 'boolean') throw wrong(request, name, 'true or false');
  return value;
}

export function recordIn(request: RequestFields, name: string): Readonly<Record<string, unknown>> {
  const value = request[name];
  if (!isObject(value)) throw wrong(request, name, 'an object');
  return value;
}

/** A field that we can't follow is not dropped in silence (CL-1). */
export function refuseFields(request: RequestFields, names: readonly string[]): void {
  const given = names.filter((name) => isGiven(request[name]));
  if (given.length > 0)
    throw new RequestRefused(`${request.subtype}: not supported in this version: ${given.join(', ')}`);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0);
}

export function wrong({ subtype }: RequestFields, name: string, expected: string): RequestRefused {
  return new RequestRefused(`${subtype}: ${name} must be ${expected}`);
}

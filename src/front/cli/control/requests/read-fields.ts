/** Reads the fields of a control request. Missing fields and wrong types are refused by name. */

import { isObject } from '../../../../protocol/json/json-values.js';
import { type RequestFields, RequestRefused } from './request-handler.js';

export function textIn(request: RequestFields, name: string): string {
  const value = optionalTextIn(request, name);
  if (value === undefined || value.trim() === '') throw wrong(request, name, 'a non-empty string');
  return value;
}

export function optionalTextIn(request: RequestFields, name: string): string | undefined {
  const value = request[name] ?? undefined;
  if (value !== undefined && typeof value !== 'string') throw wrong(request, name, 'a string');
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

/** Refuses unsupported fields instead of dropping them silently (CL-1). */
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

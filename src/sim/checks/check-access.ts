/** Checks access: a key in one of two headers, and the API version in a third. */

import type { Exchange } from '../server/local-server.js';
import { invalid, type Problem } from './problem.js';

export function checkAccess(exchange: Exchange, key: string | undefined): Problem | undefined {
  const given = keyOf(exchange.headers);
  if (given === undefined) return unauthorized('x-api-key header is required');
  if (key !== undefined && given !== key) {
    return unauthorized(exchange.headers['x-api-key'] ? 'invalid x-api-key' : 'Invalid bearer token');
  }
  return exchange.headers['anthropic-version'] ? undefined : invalid('anthropic-version: header is required');
}

/** The key of a request. Each key has its own cache. */
export function keyOf(headers: Readonly<Record<string, string>>): string | undefined {
  return headers['x-api-key'] || /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

function unauthorized(message: string): Problem {
  return { status: 401, type: 'authentication_error', message };
}

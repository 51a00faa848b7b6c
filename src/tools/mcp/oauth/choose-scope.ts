/** Chooses the scopes of a sign-in. */

import { computeScopeUnion } from '@modelcontextprotocol/client';

/**
 * The configured ones, else those the server asked for, else none: many servers refuse a request for everything they
 * offer. Adds `offline_access`, if offered, so that the sign-in can be renewed.
 */
export function chooseScope(
  configured: string | undefined,
  asked: string | undefined,
  offered: readonly string[] = [],
): string | undefined {
  const wanted = configured?.trim() ? configured : asked;
  return computeScopeUnion(wanted, offered.includes('offline_access') ? 'offline_access' : undefined);
}

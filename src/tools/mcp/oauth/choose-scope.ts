/** Which scopes a sign-in asks for. */

import { computeScopeUnion } from '@modelcontextprotocol/client';

/**
 * The configured ones, else what the server asked for, else none: asking for everything that there is makes many servers
 * refuse. `offline_access`, if it is offered, so that the sign-in can be renewed.
 */
export function chooseScope(
  configured: string | undefined,
  asked: string | undefined,
  offered: readonly string[] = [],
): string | undefined {
  const wanted = configured?.trim() ? configured : asked;
  return computeScopeUnion(wanted, offered.includes('offline_access') ? 'offline_access' : undefined);
}

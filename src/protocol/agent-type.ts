/** Names of kinds of agents. */

/** Reserved: no file can describe it. */
export const FORK_TYPE = 'fork';
/** Where the definition of a fork comes from, in the record of its start. */
export const FORK_ORIGIN = 'agent:builtin:fork';
export const DEFAULT_TYPE = 'general-purpose';

/** Types are matched without regard to case, spaces, `_` and `-`. */
export function normalizeType(type: string): string {
  return type.toLowerCase().replace(/[\s_-]+/g, '');
}

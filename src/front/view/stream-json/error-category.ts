/** Categories of model faults, as clients know them. */

/** `fault`: the kind of a `fault-met`. */
export function errorCategory(fault: string): string {
  return CATEGORIES[fault] ?? 'unknown';
}

const CATEGORIES: Readonly<Record<string, string>> = {
  unauthorized: 'authentication_failed',
  'not-found': 'model_not_found',
  'rate-limited': 'rate_limit',
  overloaded: 'overloaded',
  'server-error': 'server_error',
  'stream-cut': 'server_error',
  'stream-malformed': 'server_error',
  'stream-silent': 'server_error',
  'request-too-large': 'invalid_request',
  'context-overflow': 'invalid_request',
  'thinking-rejected': 'invalid_request',
  'invalid-request': 'invalid_request',
  'bad-block': 'invalid_request',
};

/** An error with which the API refuses a request: HTTP status, error type and message, in the API's format. */

import type { WireErrorType } from '../../model/anthropic/wire.js';

export type Problem = { readonly status: number; readonly type: WireErrorType; readonly message: string };

export function invalid(message: string): Problem {
  return { status: 400, type: 'invalid_request_error', message };
}

export function tooLarge(): Problem {
  return { status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size' };
}

export function promptTooLong(tokens: number, maximum: number): Problem {
  return invalid(`prompt is too long: ${tokens} tokens > ${maximum} maximum`);
}

/** The body of an error response. */
export function errorBody(problem: Pick<Problem, 'type' | 'message'>, requestId: string) {
  return { type: 'error', error: { type: problem.type, message: problem.message }, request_id: requestId };
}

/** Returns the first problem that a check finds. */
export function firstProblem<T>(
  items: Iterable<T>,
  check: (item: T, index: number) => Problem | undefined,
): Problem | undefined {
  let index = 0;
  for (const item of items) {
    const problem = check(item, index++);
    if (problem) return problem;
  }
  return undefined;
}

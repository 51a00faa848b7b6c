/** Maps errors of the Messages API to faults, by HTTP status, error type and message. */

import type { ModelFault } from '../fault.js';

/** Maps an HTTP status and the API's message. */
export function faultFromStatus(status: number, message: string, retryAfterMs?: number): ModelFault {
  const retryAfter = retryAfterMs === undefined ? {} : { retryAfterMs };
  switch (status) {
    case 401:
    case 403:
      return { kind: 'unauthorized', message };
    case 404:
      return { kind: 'not-found', message };
    case 413:
      return { kind: 'request-too-large', message };
    case 429:
      return { kind: 'rate-limited', message, ...retryAfter };
    case 529:
      return { kind: 'overloaded', message, ...retryAfter };
    case 400:
    case 422:
      return faultFromBadRequest(message);
    default:
      return status === 408 || status === 409 || status >= 500
        ? { kind: 'server-error', message: `HTTP ${status}: ${message}`, status }
        : { kind: 'invalid-request', message: `HTTP ${status}: ${message}` };
  }
}

function faultFromBadRequest(message: string): ModelFault {
  if (/prompt is too long|exceed(s|ed)? (the )?(context|maximum)|context window/i.test(message)) {
    return { kind: 'context-overflow', message };
  }
  if (/thinking/i.test(message) && /(signature|cannot be modified|must remain|redacted)/i.test(message)) {
    return { kind: 'thinking-rejected', message };
  }
  const position = /messages\.(\d+)\.content\.(\d+)/.exec(message);
  if (position && /image|document|pdf|base64|media_type/i.test(message)) {
    return { kind: 'bad-block', message, at: { message: Number(position[1]), block: Number(position[2]) } };
  }
  return { kind: 'invalid-request', message };
}

/** Maps an `error` event in mid-stream, which has a type but no status. */
export function faultFromErrorType(type: string, message: string): ModelFault {
  switch (type) {
    case 'overloaded_error':
      return { kind: 'overloaded', message };
    case 'rate_limit_error':
      return { kind: 'rate-limited', message };
    case 'authentication_error':
    case 'permission_error':
      return { kind: 'unauthorized', message };
    case 'invalid_request_error':
      return faultFromBadRequest(message);
    case 'request_too_large':
      return { kind: 'request-too-large', message };
    default:
      return { kind: 'server-error', message };
  }
}

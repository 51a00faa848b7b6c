/** What can go wrong with a request, as values. Each says in one line what happened. */

export type ModelFault =
  | { readonly kind: 'rate-limited' | 'overloaded'; readonly message: string; readonly retryAfterMs?: number }
  | {
      readonly kind:
        | 'server-error'
        | 'no-connection'
        | 'stream-cut'
        | 'stream-malformed'
        | 'stream-silent'
        | 'unauthorized'
        | 'not-found'
        | 'request-too-large'
        | 'context-overflow'
        | 'thinking-rejected'
        | 'invalid-request'
        | 'aborted';
      readonly message: string;
    }
  /** The API refuses one block of the conversation: `messages.<message>.content.<block>`. */
  | { readonly kind: 'bad-block'; readonly message: string; readonly at: BlockPosition };

export type BlockPosition = { readonly message: number; readonly block: number };

export function isPassing(fault: ModelFault): boolean {
  switch (fault.kind) {
    case 'rate-limited':
    case 'overloaded':
    case 'server-error':
    case 'no-connection':
    case 'stream-cut':
    case 'stream-malformed':
    case 'stream-silent':
      return true;
    case 'unauthorized':
    case 'not-found':
    case 'request-too-large':
    case 'context-overflow':
    case 'thinking-rejected':
    case 'invalid-request':
    case 'bad-block':
    case 'aborted':
      return false;
    default:
      return fault satisfies never;
  }
}

/** The key's whole traffic should pause, not only this request. */
export function concernsKey(fault: ModelFault): boolean {
  return fault.kind === 'rate-limited' || fault.kind === 'overloaded';
}

/** From an HTTP status and the API's own words. */
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
        ? { kind: 'server-error', message: `HTTP ${status}: ${message}` }
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
  const place = /messages\.(\d+)\.content\.(\d+)/.exec(message);
  if (place && /image|document|pdf|base64|media_type/i.test(message)) {
    return { kind: 'bad-block', message, at: { message: Number(place[1]), block: Number(place[2]) } };
  }
  return { kind: 'invalid-request', message };
}

/** From the `error` of an event in mid-stream, which has a type but no status. */
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

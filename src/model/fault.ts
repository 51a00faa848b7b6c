/** The faults of a model request, as values. Each has a one-line message. */

export type ModelFault =
  | { readonly kind: 'rate-limited' | 'overloaded'; readonly message: string; readonly retryAfterMs?: number }
  | {
      readonly kind:
        | 'server-error'
        /** The connection was lost before an answer came. */
        | 'no-connection'
        /** No server was reached. */
        | 'unreachable'
        /** The address is not the API's: another protocol, another certificate, a redirect, a web page. */
        | 'misdirected'
        | 'stream-cut'
        | 'stream-malformed'
        | 'stream-silent'
        | 'unauthorized'
        | 'not-found'
        | 'request-too-large'
        | 'context-overflow'
        | 'thinking-rejected'
        | 'invalid-request';
      readonly message: string;
      /** The maximum number of useful retries. */
      readonly retries?: number;
      /** The HTTP status, if it is not one of the well-known ones. */
      readonly status?: number;
    }
  /** `unsent`: the provider was not reached, so nothing is charged. */
  | { readonly kind: 'aborted'; readonly message: string; readonly unsent?: boolean }
  /** The provider refused one block of the conversation. */
  | { readonly kind: 'bad-block'; readonly message: string; readonly at: BlockPosition };

/** Both count from 0: the message in the history, the block in the message. */
export type BlockPosition = { readonly message: number; readonly block: number };

export const NEVER_SENT: ModelFault = { kind: 'aborted', message: 'interrupted', unsent: true };

/** True if a retry of the same request may succeed. */
export function isPassing(fault: ModelFault): boolean {
  switch (fault.kind) {
    case 'rate-limited':
    case 'overloaded':
    case 'server-error':
    case 'no-connection':
    case 'unreachable':
    case 'stream-cut':
    case 'stream-malformed':
    case 'stream-silent':
      return true;
    case 'unauthorized':
    case 'not-found':
    case 'misdirected':
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

/** The status of the response; null without one. */
export function statusOf(fault: ModelFault): number | null {
  if (fault.kind === 'rate-limited') return 429;
  if (fault.kind === 'overloaded') return 529;
  return ('status' in fault ? fault.status : undefined) ?? null;
}

/** One line for the user, valid for every provider. Without a full stop. */
export function explainFault(fault: ModelFault): string {
  switch (fault.kind) {
    case 'unauthorized':
      return `authentication failed: ${fault.message}`;
    case 'not-found':
      return `the API has no such model or address: ${fault.message}`;
    case 'misdirected':
      return fault.message;
    case 'context-overflow':
      return `the conversation no longer fits the model's context: ${fault.message}. Start a new session or compact this one`;
    default:
      return isPassing(fault) ? fault.message : `the API refused the request: ${fault.message}`;
  }
}

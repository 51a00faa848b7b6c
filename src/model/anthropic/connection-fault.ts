/** Faults on the way to the API: nobody is there, somebody else is, or the connection was lost. Each names the address. */

import type { ModelFault } from '../fault.js';

/** Nobody was reached. A wrong address looks like this, and so does a network that is down for a moment. */
const NOT_REACHED = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whoever answers does not speak TLS, or is not who it should be. */
const TLS = /^(?:EPROTO|CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/;

export function faultFromConnection(error: unknown, address: string): ModelFault {
  const codes = codesOf(error);
  // OpenSSL's own words for it name its source files.
  const reason = codes.includes('EPROTO') ? 'who answers there does not speak TLS (https)' : deepestMessage(error);
  const message = `no connection to ${address}: ${reason}`;
  if (codes.some((code) => TLS.test(code))) return { kind: 'misdirected', message };
  const isReached = !codes.some((code) => NOT_REACHED.has(code)) && !/no answer from/.test(message);
  return { kind: isReached ? 'no-connection' : 'unreachable', message };
}

/** A key must not go where the person did not send it. */
export function faultFromRedirect(status: number, location: string | null | undefined, address: string): ModelFault {
  const to = location && URL.canParse(location, address) ? shownAddress(new URL(location, address)) : 'nowhere';
  const message = `${address} redirects to ${to} (HTTP ${status}); a redirect is not followed, because the key would go with it`;
  return { kind: 'misdirected', message };
}

/** A page for people instead of a stream: a portal, a web server, another path. */
export function faultFromPage(address: string): ModelFault {
  return { kind: 'misdirected', message: `${address} answers with a web page, not as the API does` };
}

/** Statuses of a server that knows nothing of the API, unless they come with an error as the API writes it. */
const UNKNOWN_THERE = new Set([404, 405, 501]);

export function faultFromStranger(status: number, body: unknown, address: string): ModelFault | undefined {
  const isOfApi = typeof body === 'object' && body !== null && 'error' in body;
  if (isOfApi || !UNKNOWN_THERE.has(status)) return undefined;
  return { kind: 'misdirected', message: `${address} answers with HTTP ${status}, not as the API does` };
}

/** Without a user name or a password. */
export function shownAddress({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/$/, '')}`;
}

export function deepestMessage(error: unknown): string {
  let current = error;
  while (current instanceof Error && current.cause instanceof Error) current = current.cause;
  if (!(current instanceof Error)) return String(current);
  const inner = current instanceof AggregateError ? current.errors[0] : current;
  return inner instanceof Error ? firstLine(inner.message || inner.name) : String(inner);
}

export function firstLine(value: string): string {
  return (value.split('\n')[0] ?? '').slice(0, 500);
}

/** Of the error and of all its causes. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { code } = error as NodeJS.ErrnoException;
  const inner = error instanceof AggregateError ? error.errors.flatMap(codesOf) : [];
  return [...(typeof code === 'string' ? [code] : []), ...inner, ...codesOf(error.cause)];
}

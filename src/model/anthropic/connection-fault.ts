/** Faults of the connection to the API: no server, the wrong server, or a lost connection. Each names the address. */

import type { ModelFault } from '../fault.js';

/** No server was reached. Either the address is wrong, or the network is down. */
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

/** The server does not speak TLS, or has the wrong certificate. */
const TLS = /^(?:EPROTO|CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/;

export function faultFromConnection(error: unknown, address: string): ModelFault {
  const codes = codesOf(error);
  // OpenSSL's own message names its source files.
  const reason = codes.includes('EPROTO') ? 'the server there does not speak TLS (https)' : deepestMessage(error);
  const message = `no connection to ${address}: ${reason}`;
  if (codes.some((code) => TLS.test(code))) return { kind: 'misdirected', message };
  const isReached = !codes.some((code) => NOT_REACHED.has(code)) && !/no answer from/.test(message);
  return { kind: isReached ? 'no-connection' : 'unreachable', message };
}

/** Redirects are not followed, because the key must not be sent elsewhere. */
export function faultFromRedirect(status: number, location: string | null | undefined, address: string): ModelFault {
  const to = location && URL.canParse(location, address) ? shownAddress(new URL(location, address)) : 'nowhere';
  const message = `${address} redirects to ${to} (HTTP ${status}); redirects are not followed, because they would receive the key`;
  return { kind: 'misdirected', message };
}

/** A web page instead of a stream: a portal, a web server, a wrong path. */
export function faultFromPage(address: string): ModelFault {
  return { kind: 'misdirected', message: `${address} answers with a web page, so it is not the API` };
}

/** Statuses of a server that is not the API, unless they come with an error in the API's format. */
const UNKNOWN_PATH = new Set([404, 405, 501]);

export function faultFromStranger(status: number, body: unknown, address: string): ModelFault | undefined {
  const isApiError = typeof body === 'object' && body !== null && 'error' in body;
  if (isApiError || !UNKNOWN_PATH.has(status)) return undefined;
  return { kind: 'misdirected', message: `${address} answers with HTTP ${status}, so it is not the API` };
}

/** Returns the address without user name and password. */
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

/** Returns the codes of the error and of all its causes. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { code } = error as NodeJS.ErrnoException;
  const inner = error instanceof AggregateError ? error.errors.flatMap(codesOf) : [];
  return [...(typeof code === 'string' ? [code] : []), ...inner, ...codesOf(error.cause)];
}

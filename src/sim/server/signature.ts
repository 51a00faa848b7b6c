/** Signatures of thinking: a function of the text, so that an edited block is found out without remembering anything. */

import { createHash } from 'node:crypto';

export function signThinking(thinking: string): string {
  return `sim${createHash('sha256').update(`thinking:${thinking}`).digest('base64')}`;
}

/** What a redacted block carries: opaque to the client, checkable by us. */
export function redactThinking(thinking: string): string {
  const hidden = Buffer.from(thinking).toString('base64url');
  return `${hidden}.${seal(hidden)}`;
}

export function isRedacted(data: string): boolean {
  const dot = data.lastIndexOf('.');
  return dot >= 0 && seal(data.slice(0, dot)) === data.slice(dot + 1);
}

function seal(hidden: string): string {
  return createHash('sha256').update(`redacted:${hidden}`).digest('base64url');
}

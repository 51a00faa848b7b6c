/** A response too long to hold: its id is read from its start and end, so that its call fails instead of waiting. */

import { byteSize } from '../../../../protocol/format-numbers.js';

/** The limit for one message. */
export const MOST_BYTES = 16 * 1024 * 1024;

const FIRST = /^\s*(?:data:\s*)?\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/;
const LAST = /,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** The error response that replaces it; undefined if it was not a response, or has no id. */
export function replaceDropped(start: string, end: string) {
  const id = (FIRST.exec(start) ?? LAST.exec(end))?.[1];
  if (id === undefined) return undefined;
  const message = `the answer was larger than ${byteSize(MOST_BYTES)} and was dropped; ask for less at a time`;
  return { jsonrpc: '2.0' as const, id: Number(id), error: { code: TOO_LARGE, message } };
}

/** A custom code in the range reserved for implementations. */
const TOO_LARGE = -32_090;

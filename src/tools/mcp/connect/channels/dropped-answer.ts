/** An answer that was too long to be kept: whose it was is seen at its ends, so that its call fails instead of waiting. */

import { byteSize } from '../../../../protocol/format-numbers.js';

/** Of one message. */
export const MOST_BYTES = 16 * 1024 * 1024;

const FIRST = /^\s*(?:data:\s*)?\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/;
const LAST = /,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** The answer that takes its place; undefined if it was none, or nobody's. */
export function replaceDropped(start: string, end: string) {
  const id = (FIRST.exec(start) ?? LAST.exec(end))?.[1];
  if (id === undefined) return undefined;
  const message = `the answer was larger than ${byteSize(MOST_BYTES)} and was dropped; ask for less at a time`;
  return { jsonrpc: '2.0' as const, id: Number(id), error: { code: TOO_LARGE, message } };
}

/** A code of our own, in the range that is free for implementations. */
const TOO_LARGE = -32_090;

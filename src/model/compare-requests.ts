/** Compares two requests: how many bytes from the start they share, and a description of where they differ. */

import { decode, type FrozenMessage } from '../protocol/frozen-block.js';
import type { Prefix } from './prefix.js';
import type { ModelRequest } from './request.js';

export type Comparison = {
  /** The length of the earlier request. */
  readonly of: number;
  /** How many of its bytes the later request repeats. */
  readonly bytes: number;
  readonly difference?: string;
};

/** For `contentLength`, see `ModelProvider`. */
export function compareRequests(
  earlier: ModelRequest,
  later: ModelRequest,
  contentLength: (request: ModelRequest) => number,
): Comparison {
  const of = contentLength(earlier);
  if (earlier.prefix.sha256 !== later.prefix.sha256) {
    return { of, bytes: 0, difference: describePrefixDifference(earlier.prefix, later.prefix) };
  }
  if (earlier.maxTokens !== later.maxTokens) {
    return { of, bytes: 0, difference: `max_tokens differs: ${earlier.maxTokens} and ${later.maxTokens}` };
  }
  const count = earlier.history.length;
  for (let index = 0; index < count; index += 1) {
    const a = earlier.history.at(index);
    const b = later.history.at(index);
    if (a === b) continue;
    const difference = a && b ? describeMessageDifference(a, b, index) : `messages[${index}] is missing`;
    if (difference === undefined) continue;
    const shared = { ...earlier, history: firstMessages(earlier, index) };
    return { of, bytes: contentLength(shared), difference };
  }
  return { of, bytes: of };
}

function firstMessages({ history }: ModelRequest, length: number): ModelRequest['history'] {
  return {
    length,
    at: (index) => (index < length ? history.at(index) : undefined),
    *[Symbol.iterator]() {
      let index = 0;
      for (const message of history) {
        if (index >= length) return;
        index += 1;
        yield message;
      }
    },
  };
}

function describeMessageDifference(a: FrozenMessage, b: FrozenMessage, index: number): string | undefined {
  if (a.role !== b.role) return `messages[${index}].role differs`;
  const blocks = Math.max(a.blocks.length, b.blocks.length);
  for (let at = 0; at < blocks; at += 1) {
    const one = a.blocks[at];
    const other = b.blocks[at];
    if (one === other) continue;
    if (!one || !other)
      return `messages[${index}] has ${a.blocks.length} blocks in one and ${b.blocks.length} in the other`;
    if (Buffer.compare(one.bytes, other.bytes) !== 0) {
      return `messages[${index}].content[${at}]${textDifference(decode(one.bytes), decode(other.bytes))}`;
    }
  }
  return undefined;
}

function describePrefixDifference(a: Prefix, b: Prefix): string {
  const found = valueDifference(JSON.parse(a.bytes.toString('utf8')), JSON.parse(b.bytes.toString('utf8')), '');
  return found ?? 'the prefixes differ in the order of their keys';
}

/** The path of the first value that differs: `tools[7].description differs at …`. */
function valueDifference(a: unknown, b: unknown, path: string): string | undefined {
  if (Object.is(a, b)) return undefined;
  if (typeof a === 'string' && typeof b === 'string') return `${path}${textDifference(a, b)}`;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return `${path} differs`;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names) {
    const inner = Array.isArray(a) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    const one = (a as Record<string, unknown>)[name];
    const other = (b as Record<string, unknown>)[name];
    if (one === undefined || other === undefined)
      return `${inner} is only in ${one === undefined ? 'the later' : 'the earlier'} one`;
    const found = valueDifference(one, other, inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

function textDifference(a: string, b: string): string {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 20), at + 20));
  return ` differs at character ${at}: ${around(a)} and ${around(b)}`;
}

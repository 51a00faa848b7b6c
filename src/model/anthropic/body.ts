/**
 * Puts a request body together from frozen bytes. The only place where a request is serialised.
 * Cache markers are no content: they are laid in here, and comparing two bodies means comparing them without.
 */

import type { FrozenBlock } from '../../protocol/frozen-block.js';
import type { HistoryView } from '../../protocol/history.js';
import type { Prefix } from '../prefix.js';

export type CacheLifetime = '5m' | '1h';

export type ModelRequest = {
  readonly prefix: Prefix;
  readonly history: HistoryView;
  readonly maxTokens: number;
  readonly cacheLifetime: CacheLifetime;
  /**
   * How many messages lie before each point that should be marked beside the end of system and the end of the
   * history: where this conversation's last accepted request ended and, for a fork, where its parent's did.
   */
  readonly breakpoints: readonly Breakpoint[];
};

/** After `messages` whole messages, or inside the one that follows them after `blocks` of its blocks. */
export type Breakpoint = { readonly messages: number; readonly blocks?: number };

const MAX_MARKS = 4;

export function buildBody(parts: ModelRequest): Buffer {
  const marker = parts.cacheLifetime === '1h' ? MARKER_1H : MARKER_5M;
  const marked = placeBreakpoints(parts);
  const pieces: Uint8Array[] = [headBytes(parts)];
  const push = (block: FrozenBlock, isMarked: boolean) => {
    if (!isMarked) return void pieces.push(block.bytes);
    pieces.push(block.bytes.subarray(0, -1), marker);
  };
  parts.prefix.system.forEach((block, index) => {
    if (index > 0) pieces.push(COMMA);
    push(block, index === parts.prefix.system.length - 1);
  });
  pieces.push(MESSAGES);
  let first = true;
  for (const message of parts.history) {
    pieces.push(first ? OPEN[message.role] : NEXT[message.role]);
    first = false;
    message.blocks.forEach((block, index) => {
      if (index > 0) pieces.push(COMMA);
      push(block, marked.has(block));
    });
    pieces.push(CLOSE_MESSAGE);
  }
  pieces.push(CLOSE_BODY);
  return Buffer.concat(pieces);
}

/** How long the body is without cache markers, up to the end of its last message: what two requests are compared by. */
export function contentLength(parts: ModelRequest): number {
  let length = headBytes(parts).length + MESSAGES.length;
  for (const block of parts.prefix.system) length += block.bytes.length + COMMA.length;
  length -= COMMA.length * Math.min(1, parts.prefix.system.length);
  let first = true;
  for (const message of parts.history) {
    length += (first ? OPEN[message.role] : NEXT[message.role]).length + CLOSE_MESSAGE.length;
    first = false;
    for (const block of message.blocks) length += block.bytes.length + COMMA.length;
    length -= COMMA.length;
  }
  return length;
}

/** The blocks of the history that carry a marker: at most three, since the end of system has one. */
function placeBreakpoints({ history, breakpoints }: ModelRequest): Set<FrozenBlock> {
  const wanted = [{ messages: history.length }, ...breakpoints];
  const marked = new Set<FrozenBlock>();
  for (const mark of wanted) {
    if (marked.size === MAX_MARKS - 1) break;
    const block = lastCacheable(history, mark);
    if (block !== undefined) marked.add(block);
  }
  return marked;
}

function lastCacheable(history: HistoryView, mark: Breakpoint): FrozenBlock | undefined {
  let index = mark.blocks === undefined ? mark.messages - 1 : mark.messages;
  let blocks = history.at(index)?.blocks.slice(0, mark.blocks) ?? [];
  while (index >= 0) {
    const found = blocks.findLast((block) => block.takesBreakpoint);
    if (found) return found;
    index -= 1;
    blocks = [...(history.at(index)?.blocks ?? [])];
  }
  return undefined;
}

function headBytes({ prefix, maxTokens }: ModelRequest): Buffer {
  return Buffer.concat([
    Buffer.from(`{"model":${JSON.stringify(prefix.model)},"max_tokens":${maxTokens},"stream":true,`),
    prefix.parameters,
    Buffer.from('"tools":'),
    prefix.tools,
    Buffer.from(',"system":['),
  ]);
}

const COMMA = Buffer.from(',');
const MESSAGES = Buffer.from('],"messages":[');
const OPEN = {
  user: Buffer.from('{"role":"user","content":['),
  assistant: Buffer.from('{"role":"assistant","content":['),
};
const NEXT = {
  user: Buffer.from(',{"role":"user","content":['),
  assistant: Buffer.from(',{"role":"assistant","content":['),
};
const CLOSE_MESSAGE = Buffer.from(']}');
const CLOSE_BODY = Buffer.from(']}');
const MARKER_5M = Buffer.from(',"cache_control":{"type":"ephemeral"}}');
const MARKER_1H = Buffer.from(',"cache_control":{"type":"ephemeral","ttl":"1h"}}');

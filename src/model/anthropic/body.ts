/**
 * Builds a request body from frozen bytes. Nothing else serialises a request.
 * Cache breakpoints are not content: they are added here, and two bodies are compared without them.
 */

import type { FrozenBlock } from '../../protocol/frozen-block.js';
import type { Breakpoint, HistoryView } from '../../protocol/history.js';
import type { ModelRequest } from '../request.js';
import { type AnthropicPrefix, asAnthropicPrefix } from './prefix.js';

const MAX_MARKS = 4;

/** Throws if the prefix was not written by this provider. */
export function buildBody(request: ModelRequest): Buffer {
  const marker = request.cacheLifetime === '1h' ? MARKER_1H : MARKER_5M;
  const marked = placeBreakpoints(request);
  const prefix = asAnthropicPrefix(request.prefix);
  const pieces: Uint8Array[] = [...headPieces(prefix, request.maxTokens)];
  const push = (block: FrozenBlock, isMarked: boolean) => {
    if (!isMarked) return void pieces.push(block.bytes);
    pieces.push(block.bytes.subarray(0, -1), marker);
  };
  prefix.systemBlocks.forEach((block, index) => {
    if (index > 0) pieces.push(COMMA);
    push(block, index === prefix.systemBlocks.length - 1);
  });
  pieces.push(MESSAGES);
  let first = true;
  for (const message of request.history) {
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

/** The length of the body without cache breakpoints, up to the end of its last message. Used to compare requests. */
export function contentLength(request: ModelRequest): number {
  const prefix = asAnthropicPrefix(request.prefix);
  const { systemBlocks } = prefix;
  let length = MESSAGES.length;
  for (const piece of headPieces(prefix, request.maxTokens)) length += piece.length;
  for (const block of systemBlocks) length += block.bytes.length + COMMA.length;
  length -= COMMA.length * Math.min(1, systemBlocks.length);
  let first = true;
  for (const message of request.history) {
    length += (first ? OPEN[message.role] : NEXT[message.role]).length + CLOSE_MESSAGE.length;
    first = false;
    for (const block of message.blocks) length += block.bytes.length + COMMA.length;
    length -= COMMA.length;
  }
  return length;
}

/** The blocks of the history that get a cache breakpoint: at most three, because the system prompt has one too. */
function placeBreakpoints({ history, breakpoints }: ModelRequest): Set<FrozenBlock> {
  const candidates = [{ messages: history.length }, ...breakpoints];
  const marked = new Set<FrozenBlock>();
  for (const mark of candidates) {
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

/** Returned separately: the tools may be long, and are copied only into the body. */
function headPieces(prefix: AnthropicPrefix, maxTokens: number): readonly Uint8Array[] {
  return [
    Buffer.from(`{"model":${JSON.stringify(prefix.model)},"max_tokens":${maxTokens},"stream":true,`),
    prefix.parameterBytes,
    TOOLS,
    prefix.toolBytes,
    SYSTEM,
  ];
}

const COMMA = Buffer.from(',');
const TOOLS = Buffer.from('"tools":');
const SYSTEM = Buffer.from(',"system":[');
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

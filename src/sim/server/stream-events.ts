/** Converts a reply to stream events, in the order and shape of the real API. */

import type { WireDelta, WireEvent, WireReplyBlock } from '../../model/anthropic/wire.js';
import { type ModelReply, toResponse } from '../scenario/make-reply.js';
import type { OutputBlock } from '../scenario/scenario.js';

/** Characters in one delta. */
const PIECE = 80;

export function streamEvents(reply: ModelReply): readonly WireEvent[] {
  // The number of searches is known only at the end.
  const { output_tokens, server_tool_use: _, ...atStart } = reply.usage;
  return [
    {
      type: 'message_start',
      message: {
        ...toResponse(reply),
        content: [],
        stop_reason: null,
        usage: { ...atStart, output_tokens: Math.min(1, output_tokens) },
      },
    },
    ...reply.blocks.flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: { stop_reason: reply.stop, stop_sequence: null },
      usage: reply.usage,
    },
    { type: 'message_stop' },
  ];
}

function blockEvents(output: OutputBlock, index: number): readonly WireEvent[] {
  const deltas = deltasOf(output).map((delta): WireEvent => ({ type: 'content_block_delta', index, delta }));
  const ping: readonly WireEvent[] = index === 0 ? [{ type: 'ping' }] : [];
  return [
    { type: 'content_block_start', index, content_block: emptied(output.block) },
    ...ping,
    ...deltas,
    { type: 'content_block_stop', index },
  ];
}

/** A block as it is announced, before its content. */
function emptied(block: WireReplyBlock): WireReplyBlock {
  switch (block.type) {
    case 'text':
      return { ...block, text: '' };
    case 'thinking':
      return { ...block, thinking: '', signature: '' };
    case 'tool_use':
    case 'server_tool_use':
      return { ...block, input: {} };
    // Search results are sent whole.
    case 'web_search_tool_result':
    case 'redacted_thinking':
      return block;
    default:
      return block satisfies never;
  }
}

function deltasOf({ block, json, citations = [] }: OutputBlock): readonly WireDelta[] {
  switch (block.type) {
    case 'text':
      return [
        ...citations.map((citation) => ({ type: 'citations_delta', citation }) as const),
        ...pieces(block.text).map((text) => ({ type: 'text_delta', text }) as const),
      ];
    case 'thinking':
      return [
        ...pieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking }) as const),
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'tool_use':
    case 'server_tool_use':
      return ['', ...pieces(json ?? '')].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    case 'web_search_tool_result':
    case 'redacted_thinking':
      return [];
    default:
      return block satisfies never;
  }
}

/** Splits a text, never inside a character. */
function pieces(text: string): readonly string[] {
  const found: string[] = [];
  let start = 0;
  while (start < text.length) {
    let end = Math.min(text.length, start + PIECE);
    if (end < text.length && isLowSurrogate(text.charCodeAt(end))) end++;
    found.push(text.slice(start, end));
    start = end;
  }
  return found;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

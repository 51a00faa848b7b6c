/**
 * A reply as it streams, as the events of the Messages API: `message_start`, blocks, `message_delta`, `message_stop`.
 * A response that is given up stays open; the `message_start` of the next one starts over.
 */

import type { AgentEvent, BegunBlock } from '../../../protocol/events.js';
import { wireUsage } from '../result.js';
import type { Line } from './line.js';

export function partialEvents(event: AgentEvent): readonly Line[] {
  switch (event.kind) {
    case 'response-began': {
      const message = { id: event.response, type: 'message', role: 'assistant', model: event.model };
      const empty = { content: [], stop_reason: null, stop_sequence: null };
      return [{ type: 'message_start', message: { ...message, ...empty, usage: wireUsage(event.usage) } }];
    }
    case 'block-began':
      return [{ type: 'content_block_start', index: event.index, content_block: emptyBlock(event.block) }];
    case 'text-streamed':
      return [delta(event.index, { type: 'text_delta', text: event.text })];
    case 'thinking-streamed':
      return [delta(event.index, { type: 'thinking_delta', thinking: event.text })];
    case 'call-streamed':
      return [delta(event.index, { type: 'input_json_delta', partial_json: event.json })];
    case 'block-finished': {
      const { index, signature } = event;
      const signed = signature === undefined ? [] : [delta(index, { type: 'signature_delta', signature })];
      return [...signed, { type: 'content_block_stop', index }];
    }
    case 'assistant-replied': {
      if (event.stop === 'interrupted') return [];
      const ended = { stop_reason: event.stop, stop_sequence: null };
      return [{ type: 'message_delta', delta: ended, usage: wireUsage(event.usage) }, { type: 'message_stop' }];
    }
    default:
      return [];
  }
}

function delta(index: number, change: Line): Line {
  return { type: 'content_block_delta', index, delta: change };
}

function emptyBlock(block: BegunBlock): Line {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'redacted_thinking':
      return block;
    case 'tool_use':
      return { ...block, input: {} };
    default:
      return block satisfies never;
  }
}

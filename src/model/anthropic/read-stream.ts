/** Turns the API's stream events into ours, and checks that the stream is whole. */

import type { Usage } from '../../protocol/usage.js';
import type { ModelEvent } from '../model-client.js';
import { BlockAssembly } from './assemble-block.js';
import type { StopReason, WireEvent, WireUsage } from './wire.js';

const KNOWN_BLOCKS = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);

export async function* readStream(events: AsyncIterable<WireEvent>): AsyncGenerator<ModelEvent> {
  const open = new Map<number, { assembly: BlockAssembly; name: string }>();
  let usage: WireUsage = { input_tokens: 0, output_tokens: 0 };
  let stop: StopReason | null = null;
  for await (const event of events) {
    switch (event.type) {
      case 'message_start':
        usage = event.message.usage;
        yield { type: 'response-began', id: event.message.id, model: event.message.model, usage: toUsage(usage) };
        break;
      case 'content_block_start': {
        const start = event.content_block;
        if (!KNOWN_BLOCKS.has(start.type)) break;
        open.set(event.index, {
          assembly: new BlockAssembly(start),
          name: start.type === 'tool_use' ? start.name : '',
        });
        if (start.type === 'text' && start.text !== '') {
          yield { type: 'text-streamed', index: event.index, text: start.text };
        }
        break;
      }
      case 'content_block_delta': {
        const block = open.get(event.index);
        if (block === undefined) break;
        block.assembly.add(event.delta);
        const { delta, index } = event;
        if (delta.type === 'text_delta') yield { type: 'text-streamed', index, text: delta.text };
        if (delta.type === 'thinking_delta') yield { type: 'thinking-streamed', index, text: delta.thinking };
        if (delta.type === 'input_json_delta') {
          yield { type: 'call-streamed', index, name: block.name, json: delta.partial_json };
        }
        break;
      }
      case 'content_block_stop': {
        const block = open.get(event.index);
        if (block === undefined) break;
        open.delete(event.index);
        yield { type: 'block-finished', index: event.index, block: block.assembly.finish() };
        break;
      }
      case 'message_delta':
        // What it leaves out was said at the start.
        usage = { ...usage, ...dropNulls(event.usage) };
        stop = event.delta.stop_reason ?? stop;
        break;
      case 'message_stop':
        yield { type: 'response-finished', stop: stop ?? 'end_turn', usage: toUsage(usage) };
        return;
      case 'ping':
      case 'error':
        break;
      default:
        // A kind of event this version doesn't know.
        event satisfies never;
    }
  }
  yield { type: 'fault', fault: { kind: 'stream-cut', message: 'the response broke off before its end' } };
}

export function toUsage(wire: WireUsage): Usage {
  const written = wire.cache_creation_input_tokens ?? 0;
  const hour = wire.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  return {
    input: wire.input_tokens,
    output: wire.output_tokens,
    cacheRead: wire.cache_read_input_tokens ?? 0,
    cacheWrite5m: wire.cache_creation?.ephemeral_5m_input_tokens ?? written - hour,
    cacheWrite1h: hour,
  };
}

function dropNulls(usage: WireUsage): Partial<WireUsage> {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined));
}

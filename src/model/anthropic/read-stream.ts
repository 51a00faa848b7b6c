/** Converts the API's stream events to ours, and checks that the stream is complete. */

import type { AssistantBlock } from '../../protocol/blocks.js';
import { freezeBlock, freezeToolUse } from '../../protocol/frozen-block.js';
import { parseObject } from '../../protocol/json/json-values.js';
import type { BegunBlock } from '../../protocol/live-event.js';
import { inputTokens, NO_USAGE, type Usage } from '../../protocol/usage.js';
import type { FinishedBlock, ModelEvent, StopReason } from '../model-client.js';
import { isCountable } from './check-event.js';
import { finishSearch } from './server-search.js';
import type { WireDelta, WireEvent, WireReplyBlock, WireServerBlock, WireStopReason, WireUsage } from './wire.js';

const KNOWN_BLOCKS: ReadonlySet<string> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);
const SERVER_BLOCKS: ReadonlySet<string> = new Set(['server_tool_use', 'web_search_tool_result']);

export async function* readStream(events: AsyncIterable<WireEvent>): AsyncGenerator<ModelEvent> {
  const open = new Map<number, { assembly: BlockAssembly; name: string }>();
  const searches = new Map<number, { start: WireServerBlock; json: string }>();
  let usage: Partial<WireUsage> = {};
  let isCounted = true;
  let stop: WireStopReason | null = null;
  for await (const event of events) {
    switch (event.type) {
      case 'message_start':
        usage = dropNulls(event.message.usage);
        isCounted = isCountable(event.message.usage);
        yield {
          type: 'response-began',
          id: event.message.id,
          model: event.message.model,
          usage: isCounted ? toUsage(usage) : NO_USAGE,
        };
        break;
      case 'content_block_start': {
        const start = event.content_block;
        if (isServerBlock(start)) searches.set(event.index, { start, json: '' });
        if (!isModelBlock(start)) break;
        open.set(event.index, {
          assembly: new BlockAssembly(start),
          name: start.type === 'tool_use' ? start.name : '',
        });
        yield { type: 'block-began', index: event.index, block: begun(start) };
        if (start.type === 'text' && start.text) {
          yield { type: 'text-streamed', index: event.index, text: start.text };
        }
        break;
      }
      case 'content_block_delta': {
        const { delta, index } = event;
        const search = searches.get(index);
        if (search !== undefined && delta.type === 'input_json_delta') search.json += delta.partial_json;
        const block = open.get(index);
        if (block === undefined) break;
        block.assembly.add(delta);
        if (delta.type === 'text_delta') yield { type: 'text-streamed', index, text: delta.text };
        if (delta.type === 'thinking_delta') yield { type: 'thinking-streamed', index, text: delta.thinking };
        if (delta.type === 'input_json_delta') {
          yield { type: 'call-streamed', index, name: block.name, json: delta.partial_json };
        }
        break;
      }
      case 'content_block_stop': {
        const given = searches.get(event.index);
        searches.delete(event.index);
        const search = given && finishSearch(given.start, given.json);
        if (search !== undefined) yield { type: 'search-finished', index: event.index, search };
        const block = open.get(event.index);
        if (block === undefined) break;
        open.delete(event.index);
        yield { type: 'block-finished', index: event.index, block: block.assembly.finish() };
        break;
      }
      case 'message_delta':
        // Fields it omits were sent in message_start.
        usage = { ...usage, ...dropNulls(event.usage) };
        isCounted &&= isCountable(event.usage);
        stop = event.delta.stop_reason ?? stop;
        break;
      case 'message_stop':
        yield {
          type: 'response-finished',
          stop: toStopReason(stop),
          usage: isCounted && isGiven(usage) ? toUsage(usage) : undefined,
        };
        return;
      case 'ping':
      case 'error':
        break;
      default:
        // An event type that this version doesn't know.
        event satisfies never;
    }
  }
  yield { type: 'fault', fault: { kind: 'stream-cut', message: 'the response ended early' } };
}

function isServerBlock(block: WireReplyBlock): block is WireServerBlock {
  return SERVER_BLOCKS.has(block.type);
}

/** Blocks that this version doesn't know are left out. */
function isModelBlock(block: WireReplyBlock): block is AssistantBlock {
  return KNOWN_BLOCKS.has(block.type);
}

function begun(start: AssistantBlock): BegunBlock {
  switch (start.type) {
    case 'text':
    case 'thinking':
      return { type: start.type };
    case 'redacted_thinking':
      return start;
    case 'tool_use':
      return { type: 'tool_use', id: start.id, name: validName(start.name) };
    default:
      return start satisfies never;
  }
}

/** The API would refuse an invalid name when it is sent back, and the conversation could not continue. */
function validName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 128) || 'unnamed';
}

/** The API's stop reasons are ours. A reply without one ended normally. */
function toStopReason(wire: WireStopReason | null): StopReason {
  return wire ?? 'end_turn';
}

/** Some servers send no usage, or only zeros. */
function isGiven(usage: Partial<WireUsage>): boolean {
  return inputTokens(toUsage(usage)) > 0;
}

function toUsage(wire: Partial<WireUsage>): Usage {
  const written = wire.cache_creation_input_tokens ?? 0;
  const hour = wire.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  const webSearches = wire.server_tool_use?.web_search_requests ?? 0;
  return {
    input: wire.input_tokens ?? 0,
    output: wire.output_tokens ?? 0,
    cacheRead: wire.cache_read_input_tokens ?? 0,
    cacheWrite5m: wire.cache_creation?.ephemeral_5m_input_tokens ?? Math.max(0, written - hour),
    cacheWrite1h: hour,
    ...(webSearches === 0 ? {} : { webSearches }),
  };
}

function dropNulls(usage: WireUsage | null | undefined): Partial<WireUsage> {
  return Object.fromEntries(Object.entries(usage ?? {}).filter(([, value]) => value !== null && value !== undefined));
}

class BlockAssembly {
  readonly #start: AssistantBlock;
  #text = '';
  #signature = '';

  constructor(start: AssistantBlock) {
    this.#start = start;
    if (start.type === 'text') this.#text = start.text ?? '';
    if (start.type === 'thinking') {
      this.#text = start.thinking ?? '';
      this.#signature = start.signature ?? '';
    }
  }

  add(delta: WireDelta): void {
    switch (delta.type) {
      case 'text_delta':
        this.#text += delta.text;
        return;
      case 'thinking_delta':
        this.#text += delta.thinking;
        return;
      case 'signature_delta':
        this.#signature += delta.signature;
        return;
      case 'input_json_delta':
        this.#text += delta.partial_json;
        return;
      case 'citations_delta':
        // Citations are never sent back.
        return;
      default:
        delta satisfies never;
    }
  }

  finish(): FinishedBlock {
    const start = this.#start;
    switch (start.type) {
      case 'text':
        return whole({ type: 'text', text: this.#text });
      case 'thinking':
        return whole({ type: 'thinking', thinking: this.#text, signature: this.#signature });
      case 'redacted_thinking':
        return whole(start);
      case 'tool_use':
        return this.#finishCall(start.id, start.name, start.input);
      default:
        return start satisfies never;
    }
  }

  #finishCall(id: string, rawName: string, startInput: unknown): FinishedBlock {
    const name = validName(rawName);
    const json = this.#text.trim() === '' ? JSON.stringify(startInput ?? {}) : this.#text;
    const input = parseObject(json);
    if (input === undefined) {
      const block: AssistantBlock = { type: 'tool_use', id, name, input: {} };
      return { block, frozen: freezeToolUse(id, name, '{}'), malformedInput: json };
    }
    const block: AssistantBlock = { type: 'tool_use', id, name, input };
    // Escaped lone surrogates parse, but the API refuses them: only such an input is serialised again.
    const frozen = LONE_SURROGATE.test(json) ? freezeBlock(block) : freezeToolUse(id, name, json);
    return { block, frozen };
  }
}

const LONE_SURROGATE = /\\u[dD][89a-fA-F]/;

function whole(block: AssistantBlock): FinishedBlock {
  return { block, frozen: freezeBlock(block) };
}

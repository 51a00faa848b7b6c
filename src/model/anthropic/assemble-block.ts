/** Assembles one content block of a response from its stream of deltas. */

import type { AssistantBlock } from '../../protocol/blocks.js';
import { freezeBlock, freezeToolUse } from '../../protocol/frozen-block.js';
import type { FinishedBlock } from '../model-client.js';
import type { WireDelta } from './wire.js';

export class BlockAssembly {
  readonly #start: AssistantBlock;
  #text = '';
  #signature = '';

  constructor(start: AssistantBlock) {
    this.#start = start;
    if (start.type === 'text') this.#text = start.text;
    if (start.type === 'thinking') {
      this.#text = start.thinking;
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
      default:
        // A kind of delta this version doesn't know (citations, say) adds nothing we would send back.
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
    // A name the API would refuse when it is sent back must not poison the conversation.
    const name = rawName.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 128) || 'unnamed';
    const json = this.#text.trim() === '' ? JSON.stringify(startInput ?? {}) : this.#text;
    const input = parseObject(json);
    if (input === undefined) {
      const block: AssistantBlock = { type: 'tool_use', id, name, input: {} };
      return { block, frozen: freezeToolUse(id, name, '{}'), malformedInput: json };
    }
    const block: AssistantBlock = { type: 'tool_use', id, name, input };
    // Escaped halves of surrogate pairs parse, but the API refuses them: only such an input is written anew.
    const frozen = LONE_SURROGATE.test(json) ? freezeBlock(block) : freezeToolUse(id, name, json);
    return { block, frozen };
  }
}

const LONE_SURROGATE = /\\u[dD][89a-fA-F]/;

function whole(block: AssistantBlock): FinishedBlock {
  return { block, frozen: freezeBlock(block) };
}

function parseObject(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reports a response to listeners as it streams: each block begins, streams and finishes, numbered without gaps
 * regardless of the model client's numbers.
 */

import type { FinishedBlock, ModelEvent } from '../../model/model-client.js';
import type { AssistantBlock } from '../../protocol/blocks.js';
import type { BegunBlock, LiveEvent } from '../../protocol/events.js';

type Delta = Extract<LiveEvent, { readonly kind: 'text-streamed' | 'thinking-streamed' | 'call-streamed' }>;

export class StreamReporter {
  readonly #turn: number;
  readonly #report: (event: LiveEvent) => Promise<unknown>;
  /** Maps the client's block numbers to the reported ones. */
  readonly #numbers = new Map<number, number>();
  /** Calls of which only the name is known so far; reported once complete. */
  readonly #pendingCalls = new Map<number, string>();

  constructor(turn: number, report: (event: LiveEvent) => Promise<unknown>) {
    this.#turn = turn;
    this.#report = report;
  }

  async take(event: ModelEvent): Promise<void> {
    switch (event.type) {
      case 'response-began': {
        const { id: response, model, usage } = event;
        this.#numbers.clear();
        this.#pendingCalls.clear();
        await this.#report({ kind: 'response-began', turn: this.#turn, response, model, usage });
        return;
      }
      case 'block-began':
        await this.#begin(event.index, event.block);
        return;
      case 'text-streamed':
        return this.#stream(event.index, { kind: event.type, index: 0, text: event.text }, { type: 'text' });
      case 'thinking-streamed':
        return this.#stream(event.index, { kind: event.type, index: 0, text: event.text }, { type: 'thinking' });
      case 'call-streamed': {
        const { index, name, json } = event;
        if (this.#numbers.has(index)) return this.#stream(index, { kind: event.type, index: 0, name, json });
        this.#pendingCalls.set(index, (this.#pendingCalls.get(index) ?? '') + json);
        return;
      }
      case 'block-finished':
        return this.#finish(event.index, event.block);
      default:
    }
  }

  async #begin(index: number, block: BegunBlock): Promise<number> {
    const number = this.#numbers.size;
    this.#numbers.set(index, number);
    await this.#report({ kind: 'block-began', index: number, block });
    return number;
  }

  async #stream(index: number, delta: Delta, block?: BegunBlock): Promise<void> {
    const number = this.#numbers.get(index) ?? (block && (await this.#begin(index, block)));
    if (number !== undefined) await this.#report({ ...delta, index: number });
  }

  async #finish(index: number, { block, malformedInput }: FinishedBlock): Promise<void> {
    const known = this.#numbers.get(index);
    const number = known ?? (await this.#begin(index, begunOf(block)));
    if (known === undefined) await this.#reportWhole(number, block, this.#pendingCalls.get(index) ?? malformedInput);
    const signature = block.type === 'thinking' && block.signature !== '' ? { signature: block.signature } : {};
    await this.#report({ kind: 'block-finished', index: number, ...signature });
  }

  async #reportWhole(index: number, block: AssistantBlock, json?: string): Promise<void> {
    if (block.type === 'text') await this.#report({ kind: 'text-streamed', index, text: block.text });
    if (block.type === 'thinking') await this.#report({ kind: 'thinking-streamed', index, text: block.thinking });
    if (block.type !== 'tool_use') return;
    const { name, input } = block;
    await this.#report({ kind: 'call-streamed', index, name, json: json ?? JSON.stringify(input) });
  }
}

function begunOf(block: AssistantBlock): BegunBlock {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return { type: block.type };
    case 'redacted_thinking':
      return block;
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name };
    default:
      return block satisfies never;
  }
}

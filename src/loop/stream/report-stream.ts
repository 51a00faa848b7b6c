/**
 * Tells listeners of a response as it streams: every block begins, comes and is finished, under numbers without a gap,
 * whatever the model client says of it.
 */

import type { FinishedBlock, ModelEvent } from '../../model/model-client.js';
import type { AssistantBlock } from '../../protocol/blocks.js';
import type { BegunBlock, LiveEvent } from '../../protocol/events.js';

type Delta = Extract<LiveEvent, { readonly kind: 'text-streamed' | 'thinking-streamed' | 'call-streamed' }>;

export class StreamReporter {
  readonly #turn: number;
  readonly #tell: (event: LiveEvent) => Promise<unknown>;
  /** By the client's number: ours. */
  readonly #numbers = new Map<number, number>();
  /** Calls of which only the name is known: they are told of when they are whole. */
  readonly #held = new Map<number, string>();

  constructor(turn: number, tell: (event: LiveEvent) => Promise<unknown>) {
    this.#turn = turn;
    this.#tell = tell;
  }

  async take(event: ModelEvent): Promise<void> {
    switch (event.type) {
      case 'response-began': {
        const { id: response, model, usage } = event;
        this.#numbers.clear();
        this.#held.clear();
        await this.#tell({ kind: 'response-began', turn: this.#turn, response, model, usage });
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
        this.#held.set(index, (this.#held.get(index) ?? '') + json);
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
    await this.#tell({ kind: 'block-began', index: number, block });
    return number;
  }

  async #stream(index: number, delta: Delta, block?: BegunBlock): Promise<void> {
    const number = this.#numbers.get(index) ?? (block && (await this.#begin(index, block)));
    if (number !== undefined) await this.#tell({ ...delta, index: number });
  }

  async #finish(index: number, { block, malformedInput }: FinishedBlock): Promise<void> {
    const known = this.#numbers.get(index);
    const number = known ?? (await this.#begin(index, begunOf(block)));
    if (known === undefined) await this.#tellWhole(number, block, this.#held.get(index) ?? malformedInput);
    const signature = block.type === 'thinking' && block.signature !== '' ? { signature: block.signature } : {};
    await this.#tell({ kind: 'block-finished', index: number, ...signature });
  }

  async #tellWhole(index: number, block: AssistantBlock, json?: string): Promise<void> {
    if (block.type === 'text') await this.#tell({ kind: 'text-streamed', index, text: block.text });
    if (block.type === 'thinking') await this.#tell({ kind: 'thinking-streamed', index, text: block.thinking });
    if (block.type !== 'tool_use') return;
    const { name, input } = block;
    await this.#tell({ kind: 'call-streamed', index, name, json: json ?? JSON.stringify(input) });
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

/**
 * A model that says what a test wrote down, one answer per request, and keeps every request it got. It takes only what
 * the API would take: a request the API would refuse ends the test.
 */

import type { ModelFault } from '../../../src/model/fault.js';
import type { FinishedBlock, ModelEvent, StopReason } from '../../../src/model/model-client.js';
import type { ModelProvider } from '../../../src/model/provider.js';
import type { ModelRequest } from '../../../src/model/request.js';
import type { AssistantBlock, ContentBlock, Role } from '../../../src/protocol/blocks.js';
import { freezeBlock, parseBlock } from '../../../src/protocol/frozen-block.js';
import type { HistoryView } from '../../../src/protocol/history.js';
import { NO_USAGE, type Usage } from '../../../src/protocol/usage.js';
import { echoProvider } from '../model/echo-provider.js';

/** Anything a reply can be made of, in the order in which it comes. */
export type Step =
  | AssistantBlock
  /** A call whose input is no JSON. */
  | { readonly type: 'broken-call'; readonly id: string; readonly name: string; readonly json: string }
  /** What came so far counts for nothing; the reply begins anew. */
  | { readonly type: 'retry'; readonly fault: ModelFault }
  | { readonly type: 'fault'; readonly fault: ModelFault }
  /** Nothing more comes until the request is aborted. */
  | { readonly type: 'silence' }
  /** Something happens meanwhile. */
  | { readonly type: 'meanwhile'; readonly act: () => unknown };

export type Answer = {
  readonly steps: readonly Step[];
  readonly stop?: StopReason;
  /** Of each try of the reply. */
  readonly usage?: Usage;
};

export class ScriptedModel {
  readonly requests: ModelRequest[] = [];
  #answers: readonly Answer[];
  readonly provider: ModelProvider;

  constructor(answers: readonly Answer[]) {
    this.#answers = answers;
    this.provider = {
      ...echoProvider(() => []),
      client: { request: (request, signal) => this.#answer(request, signal) },
    };
  }

  /** Each request as one line per message. */
  get sent(): string[][] {
    return this.requests.map(readable);
  }

  /** From now on it says this. */
  script(...answers: readonly Answer[]): void {
    this.#answers = answers;
  }

  /** Answers that nobody asked for. */
  get left(): number {
    return this.#answers.length;
  }

  async *#answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    expectTaken(request);
    this.requests.push(request);
    const [answer, ...rest] = this.#answers;
    this.#answers = rest;
    if (answer === undefined) throw new Error(`nothing is written for request ${this.requests.length}`);
    const usage = answer.usage ?? NO_USAGE;
    const response = `response-${this.requests.length}`;
    const began = (): ModelEvent => ({ type: 'response-began', id: response, model: request.prefix.model, usage });
    let isBegun = false;
    for (const [index, step] of answer.steps.entries()) {
      if (signal.aborted) return yield aborted();
      if (step.type === 'fault') return yield step;
      if (step.type !== 'retry' && step.type !== 'meanwhile' && !isBegun) {
        isBegun = true;
        yield began();
      }
      switch (step.type) {
        case 'meanwhile':
          await step.act();
          break;
        case 'silence':
          if (!signal.aborted) await new Promise((done) => signal.addEventListener('abort', done, { once: true }));
          return yield aborted();
        case 'retry':
          isBegun = false;
          yield { type: 'retry-scheduled', fault: step.fault, attempt: 1, delayMs: 1_000 };
          break;
        default:
          yield* stream(index, step);
      }
    }
    if (signal.aborted) return yield aborted();
    if (!isBegun) yield began();
    yield { type: 'response-finished', stop: answer.stop ?? usualStop(answer), usage };
  }
}

function* stream(index: number, step: AssistantBlock | Extract<Step, { type: 'broken-call' }>): Generator<ModelEvent> {
  if (step.type === 'text') yield { type: 'text-streamed', index, text: step.text };
  if (step.type === 'thinking') yield { type: 'thinking-streamed', index, text: step.thinking };
  if (step.type === 'tool_use') yield { type: 'call-streamed', index, name: step.name, json: '{}' };
  yield { type: 'block-finished', index, block: finished(step) };
}

function finished(step: AssistantBlock | Extract<Step, { type: 'broken-call' }>): FinishedBlock {
  if (step.type !== 'broken-call') return { block: step, frozen: freezeBlock(step) };
  const block = { type: 'tool_use', id: step.id, name: step.name, input: {} } as const;
  return { block, frozen: freezeBlock(block), malformedInput: step.json };
}

function usualStop({ steps }: Answer): StopReason {
  return steps.some(({ type }) => type === 'tool_use' || type === 'broken-call') ? 'tool_use' : 'end_turn';
}

function aborted(): ModelEvent {
  return { type: 'fault', fault: { kind: 'aborted', message: 'interrupted' } };
}

/** The user first; every call is answered by the turn after it, in order, and nothing else is. */
function expectTaken({ history }: ModelRequest): void {
  const turns = turnsOf(history);
  if (turns[0]?.role !== 'user') throw new Error('refused: the user must speak first');
  turns.forEach(({ role, blocks }, index) => {
    if (role === 'assistant') return;
    const asked = idsOf(turns[index - 1]?.blocks ?? [], 'tool_use');
    const answered = idsOf(blocks, 'tool_result');
    if (asked.join() === answered.join()) return;
    throw new Error(`refused: turn ${index} answers [${answered}], asked was [${asked}]`);
  });
  const last = turns.at(-1);
  if (last?.role === 'assistant' && idsOf(last.blocks, 'tool_use').length > 0) throw new Error('refused: open calls');
}

/** Neighbours of one role are one turn to the API. */
function turnsOf(history: HistoryView): { role: Role; blocks: ContentBlock[] }[] {
  const turns: { role: Role; blocks: ContentBlock[] }[] = [];
  for (const { role, blocks } of history) {
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks.map(parseBlock));
    else turns.push({ role, blocks: blocks.map(parseBlock) });
  }
  return turns;
}

function idsOf(blocks: readonly ContentBlock[], type: 'tool_use' | 'tool_result'): string[] {
  return blocks.flatMap((block) =>
    block.type === 'tool_use' && type === 'tool_use'
      ? [block.id]
      : block.type === 'tool_result' && type === 'tool_result'
        ? [block.tool_use_id]
        : [],
  );
}

/** One line per message: `user: words`, `assistant: (thinking) words Look#a`, `user: a=seen b!denied`. */
export function readable({ history }: Pick<ModelRequest, 'history'>): string[] {
  return [...history].map(
    ({ role, blocks }) => `${role}: ${blocks.map((block) => shown(parseBlock(block))).join(' ')}`,
  );
}

function shown(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'thinking':
      return `(${block.thinking})`;
    case 'tool_use':
      return `${block.name}#${block.id}`;
    case 'tool_result': {
      const content = typeof block.content === 'string' ? block.content : block.content.map(shown).join(' ');
      return `${block.tool_use_id}${block.is_error ? '!' : '='}${content}`;
    }
    default:
      return `[${block.type}]`;
  }
}

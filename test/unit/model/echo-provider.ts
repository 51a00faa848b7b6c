/** A provider as small as one can be: it has its own bytes and no server. For tests that apply to all providers. */

import { createHash } from 'node:crypto';
import { explainFault, type ModelFault } from '../../../src/model/fault.js';
import type { FinishedBlock, ModelEvent, StopReason } from '../../../src/model/model-client.js';
import type { Prefix, PrefixContent } from '../../../src/model/prefix.js';
import type { ModelProvider } from '../../../src/model/provider.js';
import type { ModelRequest } from '../../../src/model/request.js';
import type { AssistantBlock } from '../../../src/protocol/blocks.js';
import { freezeBlock } from '../../../src/protocol/frozen-block.js';
import { NO_USAGE } from '../../../src/protocol/usage.js';

/** A block, or what to do instead of continuing. */
export type Step = AssistantBlock | { readonly type: 'broken-call'; readonly json: string } | ModelFault | 'silence';

export function echoProvider(reply: (request: ModelRequest) => readonly Step[]): ModelProvider {
  return {
    client: { request: (request, signal) => answer(reply(request), request, signal) },
    freezePrefix,
    loadPrefix,
    contentLength,
    explain: explainFault,
  };
}

function freezePrefix({ model, thinking, effort, taskBudget, tools, system }: PrefixContent): Prefix {
  const texts = system.filter((words) => words.trim() !== '');
  return loadPrefix(Buffer.from(JSON.stringify({ model, thinking, effort, taskBudget, tools, system: texts })));
}

function loadPrefix(bytes: Buffer): Prefix {
  const { model, tools, system } = JSON.parse(bytes.toString('utf8')) as PrefixContent;
  if (typeof model !== 'string') throw new Error('not a prefix');
  return { sha256: createHash('sha256').update(bytes).digest('hex'), bytes, model, tools, system };
}

function contentLength({ prefix, history }: ModelRequest): number {
  let length = prefix.bytes.length;
  for (const { blocks } of history) for (const block of blocks) length += block.bytes.length + 1;
  return length;
}

async function* answer(
  steps: readonly Step[],
  { prefix }: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  if (signal.aborted) return yield aborted();
  const [first] = steps;
  if (typeof first === 'object' && 'kind' in first) return yield { type: 'fault', fault: first };
  yield { type: 'response-began', id: 'echo', model: prefix.model, usage: NO_USAGE };
  let stop: StopReason = 'end_turn';
  for (const [index, step] of steps.entries()) {
    if (step === 'silence') {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return yield aborted();
    }
    if ('kind' in step) return yield { type: 'fault', fault: step };
    if (step.type === 'text') yield { type: 'text-streamed', index, text: step.text };
    if (step.type === 'thinking') yield { type: 'thinking-streamed', index, text: step.thinking };
    if (step.type === 'tool_use' || step.type === 'broken-call') {
      stop = 'tool_use';
      const json = step.type === 'tool_use' ? JSON.stringify(step.input) : step.json;
      yield { type: 'call-streamed', index, name: 'Look', json };
    }
    yield { type: 'block-finished', index, block: finished(step) };
  }
  yield { type: 'response-finished', stop, usage: NO_USAGE };
}

function finished(step: Exclude<Step, ModelFault | 'silence'>): FinishedBlock {
  if (step.type !== 'broken-call') return { block: step, frozen: freezeBlock(step) };
  const block = { type: 'tool_use', id: 'call-1', name: 'Look', input: {} } as const;
  return { block, frozen: freezeBlock(block), malformedInput: step.json };
}

function aborted(): ModelEvent {
  return { type: 'fault', fault: { kind: 'aborted', message: 'interrupted' } };
}

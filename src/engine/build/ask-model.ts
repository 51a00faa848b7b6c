/** Asks a model one question outside all conversations, within the budget of the session. */

import type { AskModel } from '../../agents/runtime.js';
import type { Budget } from '../../loop/budget.js';
import { ReplyDraft } from '../../loop/stream/reply-draft.js';
import { type ModelOverrides, modelData, mostTokens } from '../../model/models.js';
import type { ModelProvider } from '../../model/provider.js';
import { thinkingParameters } from '../../model/thinking.js';
import { text } from '../../protocol/blocks.js';
import { freezeBlock } from '../../protocol/frozen-block.js';
import { History } from '../../protocol/history.js';
import { addUsage, inputTokens, NO_USAGE, type Usage } from '../../protocol/usage.js';

type Means = { readonly provider: ModelProvider; readonly budget: Budget; readonly models: ModelOverrides };

/** For system prompts: no tokenizer needs more than one token for two bytes. */
const PREFIX_BYTES_PER_TOKEN = 2;

export function createAskModel({ provider, budget, models }: Means): AskModel {
  return async ({ model: id, system, prompt, maxTokens, sender }, signal) => {
    const model = modelData(id, models);
    const prefix = provider.freezePrefix({
      model: id,
      ...thinkingParameters(model, false, undefined),
      tools: [],
      system: [system],
    });
    const history = History.of([{ role: 'user', blocks: [freezeBlock(text(prompt))] }]);
    const input = Math.ceil(prefix.bytes.length / PREFIX_BYTES_PER_TOKEN) + mostTokens(history, 0);
    const most = { input: { ...NO_USAGE, cacheWrite5m: input }, output: maxTokens };
    let reserved = await budget.reserve(model, input, maxTokens, signal);
    let draft = new ReplyDraft();
    const request = { prefix, history, maxTokens, cacheLifetime: '5m', breakpoints: [], sender } as const;
    const requestBytes = provider.contentLength(request);
    let used: Usage = NO_USAGE;
    const paid = () => ({ model: id, usage: used, requestBytes });
    const failed = (reason: string) =>
      ({ kind: 'failed', reason, ...(inputTokens(used) === 0 ? {} : { paid: paid() }) }) as const;
    try {
      if (!reserved.ok) return failed(reserved.line);
      for await (const event of provider.client.request(request, signal)) {
        draft.take(event);
        switch (event.type) {
          case 'retry-scheduled':
            reserved.reservation.spend(draft.mostUsed(event.fault, most));
            reserved.reservation.release();
            used = addUsage(used, draft.usage);
            draft = new ReplyDraft();
            reserved = await budget.reserve(model, input, maxTokens, signal);
            if (!reserved.ok) return failed(reserved.line);
            break;
          case 'response-finished': {
            const usage = event.usage ?? draft.mostOf(most);
            reserved.reservation.spend(usage);
            used = addUsage(used, usage);
            return { kind: 'answered', reply: draft.finishedText(), stop: event.stop, paid: paid() };
          }
          case 'fault':
            reserved.reservation.spend(draft.mostUsed(event.fault, most));
            used = addUsage(used, draft.usage);
            return failed(provider.explain(event.fault));
          default:
        }
      }
    } finally {
      if (reserved.ok) reserved.reservation.release();
    }
    return failed('the model client ended without an answer');
  };
}

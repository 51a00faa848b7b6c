/** One turn: one request that the model answers, with what can be mended mended on the way. */

import { contentLength, type ModelRequest } from '../model/anthropic/body.js';
import { compareRequests } from '../model/compare-requests.js';
import type { ModelFault } from '../model/fault.js';
import type { SharedBytes } from '../protocol/events.js';
import { addUsage, inputTokens, NO_USAGE, type Usage } from '../protocol/usage.js';
import type { Call } from './call.js';
import { expectedInput } from './expected-input.js';
import { mend } from './mend.js';
import { ReplyDraft } from './reply-draft.js';
import type { Run } from './run.js';
import type { TurnFailure } from './turn-failure.js';

export type TurnEnd =
  | { readonly kind: 'replied'; readonly text: string; readonly calls: readonly Call[]; readonly stop: string }
  | { readonly kind: 'interrupted' }
  | TurnFailure;

export async function runTurn(run: Run, turn: number): Promise<TurnEnd> {
  const mended = new Set<string>();
  await run.agent.emit({ kind: 'turn-started', turn });
  for (;;) {
    await beginEpoch(run);
    const refused = checkBudget(run);
    if (refused) return refused;
    const answer = await request(run, turn);
    if (answer.kind !== 'faulted') return answer;
    const mending = await mend(run, answer.fault, mended);
    if (mending.kind === 'failed') return mending;
  }
}

/** The prefix is on disk before the first request that uses it. */
async function beginEpoch({ agent, ports }: Run): Promise<void> {
  if (agent.newEpoch === undefined) return;
  const { prefix } = agent.conversation;
  await ports.keepPrefix(prefix);
  await agent.emit({
    kind: 'epoch-started',
    reason: agent.newEpoch,
    prefix: prefix.sha256,
    model: prefix.model,
    maxTokens: agent.maxTokens,
  });
  agent.newEpoch = undefined;
}

function checkBudget({ agent }: Run): TurnFailure | undefined {
  const input = expectedInput(agent);
  const limit = agent.budget.refuses(agent.model, input, agent.maxTokens);
  if (limit === undefined) return undefined;
  const flag = limit === 'max_usd' ? '--max-usd' : '--max-tokens';
  return { kind: 'failed', reason: limit, line: `stopped: the next request could go over the budget (${flag})` };
}

type Answer = TurnEnd | { readonly kind: 'faulted'; readonly fault: ModelFault };

async function request(run: Run, turn: number): Promise<Answer> {
  const { agent, ports, signal } = run;
  const { conversation } = agent;
  const parts: ModelRequest = {
    prefix: conversation.prefix,
    history: conversation.history.view(),
    maxTokens: agent.maxTokens,
    cacheLifetime: agent.cacheLifetime,
    breakpoints: conversation.breakpoints,
  };
  const sent = describeSent(run, parts);
  await agent.emit({ kind: 'request-sent', turn, bytes: sent.requestBytes });
  let draft = new ReplyDraft();
  for await (const event of ports.model.request(parts, signal)) {
    switch (event.type) {
      case 'response-began':
        draft.begin(event);
        conversation.accepted(parts.history.length);
        agent.reference = { of: agent.id, parts };
        await agent.emit({ kind: 'response-began', turn, usage: event.usage });
        break;
      case 'text-streamed':
        draft.hear(event.index, event.text);
        await agent.emit({ kind: 'text-streamed', index: event.index, text: event.text });
        break;
      case 'thinking-streamed':
        await agent.emit({ kind: 'thinking-streamed', index: event.index, text: event.text });
        break;
      case 'call-streamed':
        await agent.emit({ kind: 'call-streamed', index: event.index, name: event.name, json: event.json });
        break;
      case 'block-finished':
        draft.finish(event.index, event.block);
        break;
      case 'retry-scheduled': {
        // What was begun is paid for, though nothing of it counts.
        count(run, draft.usage);
        const { model, usage } = draft;
        draft = new ReplyDraft();
        const line = `${event.fault.message} · trying again in ${(event.delayMs / 1000).toFixed(1)} s (${event.attempt})`;
        await agent.emit({ kind: 'fault-met', fault: event.fault.kind, line });
        await agent.emit({ kind: 'response-discarded', line, delayMs: event.delayMs, model, usage });
        break;
      }
      case 'response-finished':
        count(run, event.usage);
        agent.lastRequest = {
          tokens: inputTokens(event.usage) + event.usage.output,
          messages: parts.history.length + 1,
          cached: event.usage.cacheRead + event.usage.cacheWrite5m + event.usage.cacheWrite1h,
        };
        return accept(run, draft, event.stop, event.usage, sent);
      case 'fault':
        if (event.fault.kind !== 'aborted') return { kind: 'faulted', fault: event.fault };
        count(run, draft.usage);
        await keepInterrupted(run, draft, sent);
        return { kind: 'interrupted' };
      default:
        event satisfies never;
    }
  }
  return { kind: 'faulted', fault: { kind: 'stream-cut', message: 'the model client ended without an answer' } };
}

type Sent = { readonly requestBytes: number; readonly shared?: SharedBytes };

/** The audit: how long the request is, and how much it repeats of the one it should repeat. */
function describeSent({ agent }: Run, parts: ModelRequest): Sent {
  const requestBytes = contentLength(parts);
  if (agent.reference === undefined) return { requestBytes };
  return { requestBytes, shared: { with: agent.reference.of, ...compareRequests(agent.reference.parts, parts) } };
}

async function accept(run: Run, draft: ReplyDraft, stop: string, usage: Usage, sent: Sent): Promise<Answer> {
  const { agent } = run;
  if (stop === 'refusal') {
    const line = 'the model refused to go on with this conversation';
    await agent.emit({ kind: 'fault-met', fault: 'refusal', line });
    return { kind: 'failed', reason: 'refused', line };
  }
  const { blocks, calls, text } = draft.reply(agent.callIds, stop);
  if (blocks.length === 0 && stop === 'model_context_window_exceeded') {
    return {
      kind: 'faulted',
      fault: { kind: 'context-overflow', message: 'the conversation fills the context window' },
    };
  }
  const reply = { response: draft.response, model: draft.model, stop, usage, ...sent };
  await agent.emit({ kind: 'assistant-replied', ...reply, blocks });
  if (blocks.length > 0) agent.conversation.append({ role: 'assistant', blocks });
  return { kind: 'replied', text, calls, stop };
}

/** What was said up to an interruption stays in the conversation, as plain text. */
async function keepInterrupted({ agent }: Run, draft: ReplyDraft, sent: Sent): Promise<void> {
  const blocks = draft.spoken();
  if (blocks.length === 0) return;
  const reply = { response: draft.response, model: draft.model, stop: 'interrupted', usage: draft.usage, ...sent };
  await agent.emit({ kind: 'assistant-replied', ...reply, blocks });
  agent.conversation.append({ role: 'assistant', blocks });
}

function count({ agent }: Run, usage: Usage): void {
  if (usage === NO_USAGE) return;
  agent.usage = addUsage(agent.usage, usage);
  agent.budget.add(usage, agent.model);
}

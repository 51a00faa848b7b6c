/** One turn: one request and the model's answer, with recoverable faults handled on the way. */

import type { ModelFault } from '../model/fault.js';
import { NO_USAGE } from '../protocol/usage.js';
import { beginEpoch, requestOf } from './epoch.js';
import { recover } from './recover.js';
import { describeRequest, type RequestFacts } from './request-facts.js';
import type { Call, Run, TurnFailure } from './run.js';
import { discard, type Sent, sendRequest } from './send-request.js';
import type { ReplyDraft } from './stream/reply-draft.js';
import { StreamReporter } from './stream/report-stream.js';

export type TurnEnd =
  | { readonly kind: 'replied'; readonly text: string; readonly calls: readonly Call[]; readonly stop: string }
  | { readonly kind: 'interrupted' }
  | TurnFailure;

export async function runTurn(run: Run, turn: number): Promise<TurnEnd> {
  const tried = new Set<string>();
  await run.agent.emit({ kind: 'turn-started', turn });
  for (;;) {
    await beginEpoch(run);
    const answer = await ask(run, turn);
    if (answer.kind !== 'faulted') return answer;
    const recovery = await recover(run, answer.fault, tried);
    if (recovery.kind !== 'recovered') return recovery;
  }
}

type Answer = TurnEnd | { readonly kind: 'faulted'; readonly fault: ModelFault };

async function ask(run: Run, turn: number): Promise<Answer> {
  const { agent } = run;
  const request = requestOf(agent);
  const facts = describeRequest(run, request);
  const telling = new StreamReporter(turn, (event) => agent.emit(event));
  const sent = await sendRequest(run, request, {
    facts,
    onSending: () => agent.emit({ kind: 'request-sent', turn, bytes: facts.requestBytes }),
    onEvent: (event) => telling.take(event),
  });
  switch (sent.kind) {
    case 'finished':
      return accept(run, sent, facts);
    case 'interrupted':
      await saveInterrupted(run, sent.draft, facts);
      return { kind: 'interrupted' };
    case 'faulted':
    case 'failed':
      return sent;
    default:
      return sent satisfies never;
  }
}

async function accept(run: Run, sent: Extract<Sent, { kind: 'finished' }>, facts: RequestFacts): Promise<Answer> {
  const { agent } = run;
  const { draft, stop, usage } = sent;
  draft.usage = usage;
  if (stop === 'refusal') {
    const line = 'the model refused to go on with this conversation';
    await discard(run, draft, line, facts);
    await agent.emit({ kind: 'fault-met', fault: 'refusal', line });
    return { kind: 'failed', reason: 'refused', line };
  }
  const { blocks, calls, text } = draft.reply(agent.state.callIds, stop);
  if (blocks.length === 0 && stop === 'model_context_window_exceeded') {
    const message = 'the conversation fills the context window';
    await discard(run, draft, message, facts);
    return { kind: 'faulted', fault: { kind: 'context-overflow', message } };
  }
  const { response, model } = draft;
  await agent.emit({ kind: 'assistant-replied', response, model, stop, usage, ...facts, blocks });
  if (blocks.length === 0 && stop !== 'pause_turn' && draft.hasThought) {
    const line = 'the model thought and ended its turn without an answer';
    await agent.emit({ kind: 'fault-met', fault: 'no-answer', line });
  }
  return { kind: 'replied', text, calls, stop };
}

/** Keeps the text that arrived before an interruption in the conversation. */
async function saveInterrupted(run: Run, draft: ReplyDraft, facts: RequestFacts): Promise<void> {
  const blocks = draft.textBlocks();
  const { response, model, usage } = draft;
  if (blocks.length > 0) {
    const reply = { response, model, stop: 'interrupted', usage, ...facts, blocks };
    await run.agent.emit({ kind: 'assistant-replied', ...reply });
  } else if (usage !== NO_USAGE) {
    await discard(run, draft, 'interrupted', facts);
  }
}

/** Compaction: near the context limit the model writes a summary that replaces the conversation. */

import { showHooks } from '../gate/hooks/hooks.js';
import { estimateHistory } from '../model/models.js';
import { text } from '../protocol/blocks.js';
import { type FrozenBlock, freezeBlock, parseBlock } from '../protocol/frozen-block.js';
import { History, type HistoryView } from '../protocol/history.js';
import type { Usage } from '../protocol/usage.js';
import { compactionRequest, compactionSummary } from './compact.text.js';
import { describeRequest, type RequestFacts } from './describe-request.js';
import { requestOf } from './epoch.js';
import { expectedInput } from './request-size.js';
import type { Run, TurnFailure } from './run.js';
import { discard, sendRequest } from './send-request.js';

export type Compaction = { readonly kind: 'mended' } | { readonly kind: 'interrupted' } | TurnFailure;

/** The share of the available context at which a conversation is compacted. */
const FULL_SHARE = 0.9;

export async function compactIfNeeded(run: Run): Promise<Compaction | { readonly kind: 'not-needed' }> {
  const { agent } = run;
  const { model, maxTokens } = agent.epoch;
  // A conversation always gets half of the window, or long reply limits would compact it every turn.
  const room = Math.max(model.context - maxTokens, model.context / 2);
  if (expectedInput(agent) < room * FULL_SHARE || agent.state.history.length < 3) return { kind: 'not-needed' };
  return compact(run, 'auto');
}

/** Call it between turns only, when every call has its result, so that no pair is separated. */
export async function compact(
  run: Run,
  trigger: 'auto' | 'manual' | 'overflow',
  instructions = '',
): Promise<Compaction> {
  const { agent, signal } = run;
  const fields = { trigger: trigger === 'manual' ? 'manual' : 'auto', custom_instructions: instructions } as const;
  await showHooks(run, await agent.hooks.run('PreCompact', fields, { signal }));
  const { history } = agent.state;
  const before = history.length;
  const source = trigger === 'overflow' ? lastPart(run) : history.view();
  const summary = await summarize(run, source, instructions);
  if (summary.kind !== 'summarized') return summary;
  const blocks = [freezeBlock(text(compactionSummary(summary.text))), ...lastWords(history), ...unread(history)];
  const { model, usage, facts } = summary;
  await agent.emit({ kind: 'history-compacted', trigger, messages: before, model, usage, ...facts, blocks });
  await agent.emit({
    kind: 'line-shown',
    level: 'info',
    line: `compacted ${before} messages into a summary; the originals stay in the transcript`,
  });
  return { kind: 'mended' };
}

type Summary =
  | {
      readonly kind: 'summarized';
      readonly text: string;
      readonly model: string;
      readonly usage: Usage;
      readonly facts: RequestFacts;
    }
  | { readonly kind: 'interrupted' }
  | TurnFailure;

/** Same prefix and history plus one message, so that everything is read from the cache. */
async function summarize(run: Run, source: HistoryView, instructions: string): Promise<Summary> {
  const history = new History(source);
  history.append({ role: 'user', blocks: [freezeBlock(text(compactionRequest(instructions)))] });
  const request = requestOf(run.agent, history.view());
  const facts = describeRequest(run, request);
  const sent = await sendRequest(run, request, facts);
  switch (sent.kind) {
    case 'finished': {
      const { draft, usage } = sent;
      const words = draft.said();
      if (words.trim() !== '') return { kind: 'summarized', text: words, model: draft.model, usage, facts };
      draft.usage = usage;
      await discard(run, draft, 'no summary came', facts);
      return noSummary(run, 'the conversation is full and the model gave no summary of it; start a new session');
    }
    case 'interrupted':
      await discard(run, sent.draft, 'interrupted', facts);
      return { kind: 'interrupted' };
    case 'faulted':
      return noSummary(
        run,
        `the conversation is full and could not be compacted: ${sent.fault.message}`,
        sent.fault.kind,
      );
    case 'failed':
      return sent;
    default:
      return sent satisfies never;
  }
}

async function noSummary({ agent }: Run, line: string, fault = 'context-overflow'): Promise<TurnFailure> {
  await agent.emit({ kind: 'fault-met', fault, line });
  return { kind: 'failed', reason: 'overflow', line };
}

/** When the whole no longer fits: its later part, starting with a message that has no results. */
function lastPart({ agent }: Run): HistoryView {
  const { history } = agent.state;
  const limit = agent.epoch.model.context * 0.6;
  let start = history.length;
  for (let index = history.length - 1; index >= 0; index -= 1) {
    if (estimateHistory(history, index) > limit) break;
    if (opensFresh(history, index)) start = index;
  }
  const part = new History();
  for (let index = start; index < history.length; index += 1) {
    const message = history.at(index);
    if (message) part.append(message);
  }
  return part;
}

function opensFresh(history: HistoryView, index: number): boolean {
  const message = history.at(index);
  return message?.role === 'user' && message.blocks.every((block) => block.type !== 'tool_result');
}

/** The last request of the person is kept verbatim. */
function lastWords(history: HistoryView): readonly FrozenBlock[] {
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const message = history.at(index);
    if (!message || !opensFresh(history, index)) continue;
    // Messages from agents and our own reminders are not requests.
    const block = message.blocks.map(parseBlock).findLast((one) => one.type === 'text' && !isOurs(one.text));
    if (block?.type !== 'text') continue;
    if (block.text.length > 20_000) return [];
    return [freezeBlock(text(`The last thing asked for, word for word:\n\n${block.text}`))];
  }
  return [];
}

/** Notices and messages that were not answered yet are kept as they are. */
function unread(history: HistoryView): readonly FrozenBlock[] {
  const last = history.at(history.length - 1);
  if (last?.role !== 'user') return [];
  return last.blocks.filter((frozen) => {
    const block = frozen.type === 'text' ? parseBlock(frozen) : undefined;
    return block?.type === 'text' && /^<(?:task-notification|agent-message)\b/.test(block.text);
  });
}

function isOurs(words: string): boolean {
  return /^<(?:system-reminder|task-notification|agent-message)\b/.test(words);
}

/** Compaction: near the context limit the model writes a summary, and the conversation goes on from that. */

import { Conversation } from '../model/conversation.js';
import { estimateHistory } from '../model/estimate.js';
import { text } from '../protocol/blocks.js';
import { type FrozenBlock, freezeBlock, parseBlock } from '../protocol/frozen-block.js';
import type { HistoryView } from '../protocol/history.js';
import { addUsage, NO_USAGE, type Usage } from '../protocol/usage.js';
import { NO_REQUEST } from './agent.js';
import { compactionRequest, compactionSummary } from './compact.text.js';
import { expectedInput } from './expected-input.js';
import type { Run } from './run.js';
import { showHooks } from './show-hooks.js';
import type { TurnFailure } from './turn-failure.js';

export type Compaction = { readonly kind: 'mended' } | TurnFailure;

/** Of the room a conversation has in the context window, the share at which it is compacted. */
const FULL_SHARE = 0.9;

export async function compactIfNeeded(run: Run): Promise<Compaction | { readonly kind: 'not-needed' }> {
  const { agent } = run;
  // However long replies may be: a conversation has half of the window, or every turn would compact it.
  const room = Math.max(agent.model.context - agent.maxTokens, agent.model.context / 2);
  if (expectedInput(agent) < room * FULL_SHARE || agent.conversation.history.length < 3) return { kind: 'not-needed' };
  return compact(run, 'auto');
}

/** Called between turns only, when every call has its result: a pair is never separated. */
export async function compact(
  run: Run,
  trigger: 'auto' | 'manual' | 'overflow',
  instructions = '',
): Promise<Compaction> {
  const { agent, signal } = run;
  const fields = { trigger: trigger === 'manual' ? 'manual' : 'auto', custom_instructions: instructions } as const;
  await showHooks(run, await agent.hooks.run('PreCompact', fields, { signal }));
  const before = agent.conversation.history.length;
  const source = trigger === 'overflow' ? lastPart(run) : agent.conversation.history.view();
  const summary = await summarize(run, source, instructions);
  if (summary.kind === 'failed') return summary;
  const { history } = agent.conversation;
  const blocks = [freezeBlock(text(compactionSummary(summary.text))), ...lastWords(history), ...unread(history)];
  const { model, usage } = summary;
  await agent.emit({ kind: 'history-compacted', trigger, messages: before, model, usage, blocks });
  agent.conversation = new Conversation(agent.conversation.prefix);
  agent.conversation.append({ role: 'user', blocks });
  agent.newEpoch = 'compaction';
  agent.lastRequest = NO_REQUEST;
  agent.reference = undefined;
  await agent.emit({
    kind: 'line-shown',
    level: 'info',
    line: `compacted ${before} messages into a summary; the originals stay in the transcript`,
  });
  return { kind: 'mended' };
}

type Summary =
  | { readonly kind: 'summarized'; readonly text: string; readonly model: string; readonly usage: Usage }
  | TurnFailure;

/** The same prefix and history with one more message, so that all of it is read from the cache. */
async function summarize(run: Run, source: HistoryView, instructions: string): Promise<Summary> {
  const { agent, ports, signal } = run;
  const conversation = new Conversation(agent.conversation.prefix, source, agent.conversation.breakpoints);
  conversation.append({ role: 'user', blocks: [freezeBlock(text(compactionRequest(instructions)))] });
  const parts = {
    prefix: conversation.prefix,
    history: conversation.history.view(),
    maxTokens: agent.maxTokens,
    cacheLifetime: agent.cacheLifetime,
    breakpoints: conversation.breakpoints,
  };
  let words = '';
  let usage = NO_USAGE;
  let model = agent.model.id;
  for await (const event of ports.model.request(parts, signal)) {
    if (event.type === 'block-finished' && event.block.block.type === 'text') words += event.block.block.text;
    if (event.type === 'retry-scheduled') words = '';
    if (event.type === 'response-began') model = event.model;
    if (event.type === 'response-finished') {
      usage = event.usage;
      agent.usage = addUsage(agent.usage, event.usage);
      agent.budget.add(event.usage, agent.model);
    }
    if (event.type === 'fault') {
      if (event.fault.kind === 'aborted') return { kind: 'failed', reason: 'overflow', line: 'interrupted' };
      const line = `the conversation is full and could not be compacted: ${event.fault.message}`;
      await agent.emit({ kind: 'fault-met', fault: event.fault.kind, line });
      return { kind: 'failed', reason: 'overflow', line };
    }
  }
  if (words.trim() !== '') return { kind: 'summarized', text: words, model, usage };
  const line = 'the conversation is full and the model gave no summary of it; start a new session';
  await agent.emit({ kind: 'fault-met', fault: 'context-overflow', line });
  return { kind: 'failed', reason: 'overflow', line };
}

/** When even the whole no longer fits: its later part, from a message on that answers no call. */
function lastPart({ agent }: Run): HistoryView {
  const { history } = agent.conversation;
  const limit = agent.model.context * 0.6;
  let start = history.length;
  for (let index = history.length - 1; index >= 0; index -= 1) {
    if (estimateHistory(history, index) > limit) break;
    if (opensFresh(history, index)) start = index;
  }
  const part = new Conversation(agent.conversation.prefix);
  for (let index = start; index < history.length; index += 1) {
    const message = history.at(index);
    if (message) part.append(message);
  }
  return part.history;
}

function opensFresh(history: HistoryView, index: number): boolean {
  const message = history.at(index);
  return message?.role === 'user' && message.blocks.every((block) => block.type !== 'tool_result');
}

/** What the person asked for last is carried over word for word. */
function lastWords(history: HistoryView): readonly FrozenBlock[] {
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const message = history.at(index);
    if (!message || !opensFresh(history, index)) continue;
    // What came from an agent or from us is no word of whoever asked for the work.
    const block = message.blocks.map(parseBlock).findLast((one) => one.type === 'text' && !isOurs(one.text));
    if (block?.type !== 'text') continue;
    if (block.text.length > 20_000) return [];
    return [freezeBlock(text(`The last thing asked for, word for word:\n\n${block.text}`))];
  }
  return [];
}

/** Notices and messages that came just now and were not answered yet stay as they are. */
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

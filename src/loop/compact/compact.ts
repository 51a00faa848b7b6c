/** Compaction: near the context limit the model writes a summary that replaces the conversation. */

import { showHooks } from '../../gate/hooks/hooks.js';
import { estimateBlock } from '../../model/models.js';
import { text } from '../../protocol/blocks.js';
import { type FrozenBlock, freezeBlock, parseBlock } from '../../protocol/frozen-block.js';
import { History, type HistoryView } from '../../protocol/history.js';
import { reminder } from '../../protocol/tags.js';
import type { Usage } from '../../protocol/usage.js';
import type { Agent, Epoch } from '../agent.js';
import { requestOf } from '../epoch.js';
import { describeRequest, expectedInput, type RequestFacts } from '../request-facts.js';
import type { Run, TurnFailure } from '../run.js';
import { discard, fallBack, sendRequest } from '../send-request.js';
import { compactionRequest, compactionSummary, otherFolder } from './compact.text.js';
import { keptSkills } from './kept-skills.js';
import { isFresh, lastPart } from './last-part.js';

export type Compaction = { readonly kind: 'recovered' } | { readonly kind: 'interrupted' } | TurnFailure;

/** The share of the available context at which a conversation is compacted. */
const FULL_SHARE = 0.9;

export async function compactIfNeeded(run: Run): Promise<Compaction | { readonly kind: 'not-needed' }> {
  const { agent } = run;
  if (expectedInput(agent) < compactsAt(agent.epoch) || agent.state.history.length < 3) return { kind: 'not-needed' };
  return compact(run, 'auto');
}

/** The number of tokens at which the conversation is compacted. */
export function compactsAt({ model, maxTokens }: Epoch): number {
  // Reserve at least half of the window for the conversation; large reply limits would otherwise compact it every turn.
  return Math.max(model.context - maxTokens, model.context / 2) * FULL_SHARE;
}

/** Shares of the context to try in turn when the whole conversation is too long to summarise. */
const PARTS = [0.6, 0.3, 0.15];

/**
 * Compacts the conversation. Call it only between turns, when every call has its result, so that no pair is separated.
 */
export async function compact(run: Run, trigger: Trigger, instructions = ''): Promise<Compaction> {
  const compacted = await compactTold(run, trigger, instructions);
  if (compacted.kind === 'recovered') return compacted;
  const reason = compacted.kind === 'failed' ? compacted.line : compacted.kind;
  await run.agent.emit({ kind: 'compaction-failed', reason });
  return compacted;
}

type Trigger = 'auto' | 'manual' | 'overflow';

async function compactTold(run: Run, trigger: Trigger, instructions: string): Promise<Compaction> {
  const { agent, signal } = run;
  const fields = { trigger: trigger === 'manual' ? 'manual' : 'auto', custom_instructions: instructions } as const;
  await showHooks(run, await agent.hooks.run('PreCompact', fields, { signal }));
  await agent.emit({ kind: 'compaction-began', trigger });
  return replaceBySummary(run, trigger, instructions);
}

async function replaceBySummary(run: Run, trigger: Trigger, instructions: string): Promise<Compaction> {
  const { agent } = run;
  const { history } = agent.state;
  const before = history.length;
  // Input that the model has not seen yet stays verbatim, unless it holds results of calls.
  const last = history.at(before - 1);
  const unseen = isFresh(last) ? (last?.blocks ?? []) : undefined;
  const source = history.view(unseen === undefined ? before : before - 1);
  const summary = await summarizeAny(run, source, instructions, trigger === 'overflow' && unseen === undefined);
  // Falling back removed the first model's thinking, so the conversation has changed.
  if (summary.kind === 'fell-back') return replaceBySummary(run, trigger, instructions);
  if (summary.kind !== 'summarized') return summary;
  const kept = unseen?.some(isRequest) ? unseen : [...lastRequest(agent), ...(unseen ?? unread(history))];
  const opening = before > 1 ? openingOf(history) : [];
  const skills = keptSkills(history, [...opening, ...kept]);
  const summaryBlock = freezeBlock(text(compactionSummary(summary.text)));
  const blocks = [...opening, ...folderNote(agent, opening), summaryBlock, ...skills, ...kept];
  const { model, usage, facts } = summary;
  await agent.emit({ kind: 'history-compacted', trigger, messages: before, model, usage, ...facts, blocks });
  await agent.emit({
    kind: 'line-shown',
    level: 'info',
    line: `compacted ${before} messages into a summary; the originals stay in the transcript`,
  });
  return { kind: 'recovered' };
}

/** Summarises the whole conversation, or its last part if the whole is too long for a request. */
async function summarizeAny(
  run: Run,
  source: HistoryView,
  instructions: string,
  isTooLong: boolean,
): Promise<Exclude<Summary, { kind: 'too-long' }>> {
  const { context } = run.agent.epoch.model;
  let found = isTooLong ? TOO_LONG : await summarize(run, source, instructions);
  for (const share of PARTS) {
    if (found.kind !== 'too-long') return found;
    const line = `the conversation is too long to summarise as a whole (${found.message}); summarising its last part`;
    if (share === PARTS[0] && !isTooLong) await run.agent.emit({ kind: 'fault-met', fault: 'context-overflow', line });
    found = await summarize(run, lastPart(source, context * share), instructions);
  }
  if (found.kind !== 'too-long') return found;
  return noSummary(run, `the conversation is full and could not be compacted: ${found.message}`);
}

type Summary =
  | {
      readonly kind: 'summarized';
      readonly text: string;
      readonly model: string;
      readonly usage: Usage;
      readonly facts: RequestFacts;
    }
  /** The API rejected the request because of its length. */
  | { readonly kind: 'too-long'; readonly message: string }
  /** The model is overloaded; the agent has switched to another. */
  | { readonly kind: 'fell-back' }
  | { readonly kind: 'interrupted' }
  | TurnFailure;

const TOO_LONG: Summary = { kind: 'too-long', message: 'as the API said' };

/** Sends the same prefix and history plus one message, so that everything else is read from the cache. */
async function summarize(run: Run, source: HistoryView, instructions: string): Promise<Summary> {
  const history = new History(source);
  history.append({ role: 'user', blocks: [freezeBlock(text(compactionRequest(instructions)))] });
  const request = requestOf(run.agent, history.view());
  const facts = describeRequest(run, request);
  const sent = await sendRequest(run, request, { facts });
  switch (sent.kind) {
    case 'finished': {
      const { draft, usage } = sent;
      const written = draft.finishedText();
      if (written.trim() !== '') return { kind: 'summarized', text: written, model: draft.model, usage, facts };
      draft.usage = usage;
      await discard(run, draft, 'no summary came', facts);
      return noSummary(run, 'the conversation is full and the model gave no summary of it; start a new session');
    }
    case 'interrupted':
      await discard(run, sent.draft, 'interrupted', facts);
      return { kind: 'interrupted' };
    case 'faulted':
      if (sent.fault.kind === 'context-overflow' || sent.fault.kind === 'request-too-large') {
        return { kind: 'too-long', message: sent.fault.message };
      }
      if (await fallBack(run, sent.fault)) return { kind: 'fell-back' };
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

/** The instructions and environment at the start of the conversation, which still apply. */
function openingOf(history: HistoryView): readonly FrozenBlock[] {
  const first = history.at(0)?.blocks ?? [];
  const end = first.findIndex((frozen) => {
    const block = frozen.type === 'text' ? parseBlock(frozen) : undefined;
    return block?.type !== 'text' || !block.text.startsWith('<system-reminder>');
  });
  return first.slice(0, end < 0 ? first.length : end);
}

/**
 * A note with the current folder. The opening may name another: a fork has its parent's, and an agent can lose its
 * worktree.
 */
function folderNote({ host, requester }: Agent, opening: readonly FrozenBlock[]): readonly FrozenBlock[] {
  const texts = opening.map(parseBlock).map((block) => (block.type === 'text' ? block.text : ''));
  const named = /^Working folder: (.+)$/m.exec(texts.join('\n'))?.[1];
  if (named === undefined || named === host.folder) return [];
  const note = reminder(otherFolder(named, host.folder, requester.worktree));
  return texts.includes(note) ? [] : [freezeBlock(text(note))];
}

const WORD_FOR_WORD = 'The last thing asked for, word for word:\n\n';
/** The largest share of the context that the last request may take. */
const LAST_REQUEST_SHARE = 0.2;

/** The user's last request, verbatim. */
function lastRequest({ state: { history }, epoch }: Agent): readonly FrozenBlock[] {
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const message = history.at(index);
    if (!message || !isFresh(message)) continue;
    // Messages from agents and reminders are not requests.
    const frozen = message.blocks.findLast((one) => one.type === 'text' && isRequest(one));
    const block = frozen && parseBlock(frozen);
    if (frozen === undefined || block?.type !== 'text') continue;
    if (estimateBlock(frozen) > epoch.model.context * LAST_REQUEST_SHARE) return [];
    return block.text.startsWith(WORD_FOR_WORD) ? [frozen] : [freezeBlock(text(`${WORD_FOR_WORD}${block.text}`))];
  }
  return [];
}

/** Notices and messages not answered yet, verbatim. */
function unread(history: HistoryView): readonly FrozenBlock[] {
  const last = history.at(history.length - 1);
  if (last?.role !== 'user') return [];
  return last.blocks.filter((frozen) => {
    const block = frozen.type === 'text' ? parseBlock(frozen) : undefined;
    return block?.type === 'text' && /^<(?:task-notification|agent-message)\b/.test(block.text);
  });
}

/** True for text or an image from the user. */
function isRequest(frozen: FrozenBlock): boolean {
  const block = parseBlock(frozen);
  return block.type !== 'text' || !isGenerated(block.text);
}

function isGenerated(content: string): boolean {
  return /^<(?:system-reminder|task-notification|agent-message|conversation-summary)\b/.test(content);
}

/**
 * A fork: the parent's frozen prefix and history by reference, and a suffix of its own. What would break the identity
 * of their bytes can't be said here: there is no way to give a fork another prefix, model or history.
 */

import type { Agent, CallIds, RequestReference } from '../../loop/agent.js';
import type { Breakpoint } from '../../model/anthropic/body.js';
import { Conversation } from '../../model/conversation.js';
import { estimateBlock, estimateHistory } from '../../model/estimate.js';
import type { Prefix } from '../../model/prefix.js';
import { type FrozenBlock, type FrozenMessage, freezeBlock, parseBlock } from '../../protocol/frozen-block.js';
import type { HistoryView } from '../../protocol/history.js';
import { historyHash } from '../../session/state/history-hash.js';

export const FORK_PLACEHOLDER = 'Fork started — processing in background';

/** Where a fork leaves its parent: taken when the call is made. */
export type ForkPoint = {
  readonly parent: Agent;
  readonly prefix: Prefix;
  /** What the child shares: up to and with the reply that asks for it. */
  readonly shared: HistoryView;
  /** One result per open call of that reply; siblings have the same. */
  readonly placeholders: readonly FrozenBlock[];
  readonly breakpoints: readonly Breakpoint[];
  readonly reference: RequestReference | undefined;
  /** Tokens the parent has in the API's cache. */
  readonly cached: number;
  readonly sha256: string;
  /** Stands for all siblings of this point. */
  readonly key: FrozenMessage;
};

/** Undefined before the first reply: there is nothing to fork from. */
export function takeForkPoint(parent: Agent): ForkPoint | undefined {
  const { history, breakpoints } = parent.conversation;
  const last = history.at(history.length - 1);
  if (last === undefined || !hasReply(history)) return undefined;
  const placeholders = last.role === 'assistant' ? placeholdersFor(last) : [];
  return {
    parent,
    prefix: parent.conversation.prefix,
    shared: history.view(),
    placeholders,
    breakpoints,
    reference: parent.reference,
    cached: parent.lastRequest.cached,
    sha256: hashOnce(history.view(), last),
    key: last,
  };
}

/** By hand, at any time: while calls of a reply are under way, from before that reply. */
export function takeCompletePoint(parent: Agent): ForkPoint | undefined {
  const { history, breakpoints } = parent.conversation;
  const last = history.at(history.length - 1);
  const open = last?.role === 'assistant' && last.blocks.some((block) => block.type === 'tool_use');
  const shared = history.view(open ? history.length - 1 : history.length);
  const key = shared.at(shared.length - 1);
  if (key === undefined || !hasReply(shared)) return undefined;
  return {
    parent,
    prefix: parent.conversation.prefix,
    shared,
    placeholders: [],
    breakpoints,
    reference: parent.reference,
    cached: parent.lastRequest.cached,
    sha256: hashOnce(shared, key),
    key,
  };
}

/** The child's conversation, as the first request will send it but for the directive. */
export function forkConversation(point: ForkPoint): Conversation {
  return new Conversation(point.prefix, point.shared, [...point.breakpoints, ...sharedBreakpoint(point)]);
}

/** What siblings share ends here. Without placeholders it may be no more than what the parent has sent already. */
function sharedBreakpoint({ shared, placeholders, breakpoints }: ForkPoint): Breakpoint[] {
  if (placeholders.length > 0) return [{ messages: shared.length, blocks: placeholders.length }];
  return breakpoints.some((mark) => mark.messages >= shared.length) ? [] : [{ messages: shared.length }];
}

/** Tokens that siblings share beyond what their parent has sent, roughly: one of them pays for it. */
export function sharedBeyondParent({ shared, placeholders, breakpoints }: ForkPoint): number {
  const sent = Math.max(0, ...breakpoints.map((mark) => mark.messages));
  return placeholders.reduce((sum, block) => sum + estimateBlock(block), estimateHistory(shared, sent));
}

/** The child's calls must differ from all its parent made, without copying those. */
export function forkCallIds(parent: CallIds): CallIds {
  const own = new Set<string>();
  return { has: (id) => own.has(id) || parent.has(id), add: (id) => own.add(id) };
}

function hasReply(history: HistoryView): boolean {
  for (let index = history.length - 1; index >= 0; index -= 1) {
    if (history.at(index)?.role === 'assistant') return true;
  }
  return false;
}

const placeholderCache = new WeakMap<FrozenMessage, readonly FrozenBlock[]>();

/** One per call, in order, whatever tool each called; frozen once for all siblings. */
function placeholdersFor(reply: FrozenMessage): readonly FrozenBlock[] {
  const known = placeholderCache.get(reply);
  if (known !== undefined) return known;
  const blocks = reply.blocks.flatMap((frozen) => {
    const block = frozen.type === 'tool_use' ? parseBlock(frozen) : undefined;
    return block?.type === 'tool_use'
      ? [freezeBlock({ type: 'tool_result', tool_use_id: block.id, content: FORK_PLACEHOLDER })]
      : [];
  });
  placeholderCache.set(reply, blocks);
  return blocks;
}

const hashCache = new WeakMap<FrozenMessage, { readonly length: number; readonly sha256: string }>();

function hashOnce(history: HistoryView, last: FrozenMessage): string {
  const known = hashCache.get(last);
  if (known !== undefined && known.length === history.length) return known.sha256;
  const sha256 = historyHash(history);
  hashCache.set(last, { length: history.length, sha256 });
  return sha256;
}

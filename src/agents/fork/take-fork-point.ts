/** Takes the point where a fork leaves its parent: when the call is made, once for all siblings. */

import { referenceOf } from '../../loop/epoch.js';
import { estimateBlock, estimateHistory } from '../../model/models.js';
import { FORK_TYPE } from '../../protocol/agent-spawned.js';
import type { ToolUseBlock } from '../../protocol/blocks.js';
import { type FrozenBlock, type FrozenMessage, freezeBlock, parseBlock } from '../../protocol/frozen-block.js';
import type { HistoryView } from '../../protocol/history.js';
import { historyHash } from '../../session/state/history-hash.js';
import { declaredType } from '../catalog/route.js';
import type { LiveAgent } from '../live-agent.js';
import { chooseSiblings, type ReplySizes, type SiblingsSetting, waitsForLeader } from './choose-siblings.js';
import { FORK_PLACEHOLDER, forkDirective } from './fork-directive.text.js';
import type { ForkPoint, OpenCall } from './fork-point.js';
import { newWarmUp } from './warm-up.js';

/** Returns undefined before the first reply: there is nothing to fork from. */
export function takeForkPoint(parent: LiveAgent, setting: SiblingsSetting): ForkPoint | undefined {
  const { history } = parent.state;
  const last = history.at(history.length - 1);
  return pointAt(parent, history.length, last?.role === 'assistant' ? { message: last, setting } : undefined);
}

/** For a fork by the user, possible at any time: while calls are running, it starts before the reply that made them. */
export function takeCompletePoint(parent: LiveAgent): ForkPoint | undefined {
  const { history } = parent.state;
  const last = history.at(history.length - 1);
  const open = last?.role === 'assistant' && last.blocks.some((block) => block.type === 'tool_use');
  return pointAt(parent, open ? history.length - 1 : history.length, undefined);
}

type AskingReply = { readonly message: FrozenMessage; readonly setting: SiblingsSetting };

function pointAt(parent: LiveAgent, length: number, reply: AskingReply | undefined): ForkPoint | undefined {
  const { history } = parent.state;
  const shared = history.view(length);
  const key = shared.at(length - 1);
  if (key === undefined || !hasReply(shared)) return undefined;
  const known = parent.forkPoint;
  if (known?.key === key && known.shared.length === length) return { ...known, ...now(parent) };
  const point: ForkPoint = {
    shared,
    before: history.view(length - 1),
    sha256: historyHash(shared),
    key,
    ...(reply === undefined ? byHand(parent, shared) : byCall(parent, reply)),
    ...now(parent),
  };
  // Let siblings share placeholders and hash instead of computing them again.
  parent.forkPoint = point;
  return point;
}

/** The values that may have changed since a sibling was started. */
function now(parent: LiveAgent) {
  const { state } = parent;
  return {
    upTo: state.lastSeq,
    breakpoints: state.breakpoints,
    reference: referenceOf(parent),
    cached: state.lastRequest.cached,
  };
}

type Family = Pick<ForkPoint, 'calls' | 'siblings' | 'warmUp'>;

/** The parent may have sent all of it already; otherwise its last reply is new, and shared by all forks from here. */
function byHand({ state, epoch }: LiveAgent, shared: HistoryView): Family {
  const sent = Math.max(0, ...state.breakpoints.map((mark) => mark.messages));
  const isWorthIt = estimateHistory(shared, sent) >= epoch.model.cacheMinimum;
  return { calls: new Map(), siblings: undefined, warmUp: isWorthIt ? newWarmUp() : undefined };
}

function byCall({ state, epoch: { model }, cacheLifetime }: LiveAgent, { message, setting }: AskingReply): Family {
  const calls = openCalls(message);
  const sizes = sizesOf(message, calls, state.lastRequest.cached);
  const siblings = chooseSiblings(setting, sizes, { model, lifetime: cacheLifetime });
  const waits = siblings === 'all' && waitsForLeader(sizes, model);
  return { calls, siblings, warmUp: waits ? newWarmUp() : undefined };
}

function hasReply(history: HistoryView): boolean {
  for (let index = history.length - 1; index >= 0; index -= 1) {
    if (history.at(index)?.role === 'assistant') return true;
  }
  return false;
}

/** One placeholder per call, for any tool. */
function openCalls({ blocks }: FrozenMessage): Map<string, OpenCall> {
  const calls = new Map<string, OpenCall>();
  for (const use of blocks) {
    const block = use.type === 'tool_use' ? parseBlock(use) : undefined;
    if (block?.type !== 'tool_use') continue;
    const placeholder = freezeBlock({ type: 'tool_result', tool_use_id: block.id, content: FORK_PLACEHOLDER });
    calls.set(block.id, { use, asksForFork: asksForFork(block), placeholder });
  }
  return calls;
}

function asksForFork({ input }: ToolUseBlock): boolean {
  const { fork, subagent_type: type } = (input ?? {}) as Readonly<Record<string, unknown>>;
  const requested = { fork: fork === true, subagent_type: typeof type === 'string' ? type : undefined };
  return declaredType(requested, true) === FORK_TYPE;
}

function sizesOf({ blocks }: FrozenMessage, calls: ReadonlyMap<string, OpenCall>, cached: number): ReplySizes {
  const first = blocks.findIndex((block) => block.type === 'tool_use');
  const open = [...calls.values()];
  const forks = open.filter((call) => call.asksForFork);
  const own = forks.map(({ use, placeholder }) => estimateBlock(use) + estimateBlock(placeholder));
  const boilerplate = estimateBlock(freezeBlock({ type: 'text', text: forkDirective(NO_DIRECTIVE) }));
  return {
    cached,
    before: sum(blocks.slice(0, first)),
    whole: sum([...blocks, ...open.map(({ placeholder }) => placeholder)]),
    calls: own,
    // The prompt of each call is repeated in its directive.
    directives: sum(forks.map(({ use }) => use)) + forks.length * boilerplate,
    thinksAfterCall: blocks.slice(first).some(({ type }) => type === 'thinking' || type === 'redacted_thinking'),
  };
}

const NO_DIRECTIVE = { directive: '', ownCheckout: false } as const;

function sum(blocks: readonly FrozenBlock[]): number {
  return blocks.reduce((tokens, block) => tokens + estimateBlock(block), 0);
}

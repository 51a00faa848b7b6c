/**
 * A fork: its parent's epoch and history by reference, plus a suffix of its own. The types leave no way to give a fork
 * another prefix, model or history, so its bytes are its parent's by construction.
 */

import { referenceOf } from '../../loop/epoch.js';
import { FORK_ORIGIN, FORK_TYPE } from '../../protocol/agent-type.js';
import { text } from '../../protocol/blocks.js';
import { type FrozenBlock, type FrozenMessage, freezeBlock, parseBlock } from '../../protocol/frozen-block.js';
import type { Breakpoint, HistoryView } from '../../protocol/history.js';
import { createState, type LastRequest } from '../../session/state/agent-state.js';
import { historyHash } from '../../session/state/history-hash.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import { childHooks } from '../start/agent-hooks.js';
import type { Plan, SpawnRequest } from '../start/plan.js';
import { type ExpectedStart, warnIfCold } from './cold-start.js';
import { forkDirective } from './fork-directive.text.js';
import type { ForkPoint } from './fork-point.js';
import { newWarmUp } from './warm-up.js';

export const FORK_PLACEHOLDER = 'Fork started — processing in background';

/** Undefined before the first reply: there is nothing to fork from. */
export function takeForkPoint(parent: LiveAgent): ForkPoint | undefined {
  const { history } = parent.state;
  const last = history.at(history.length - 1);
  const calls = last?.role === 'assistant' ? last : undefined;
  return pointAt(parent, history.view(), calls);
}

/** For a fork by hand, possible at any time: while calls are under way, it starts before the reply that made them. */
export function takeCompletePoint(parent: LiveAgent): ForkPoint | undefined {
  const { history } = parent.state;
  const last = history.at(history.length - 1);
  const open = last?.role === 'assistant' && last.blocks.some((block) => block.type === 'tool_use');
  return pointAt(parent, history.view(open ? history.length - 1 : history.length), undefined);
}

function pointAt(parent: LiveAgent, shared: HistoryView, calls: FrozenMessage | undefined): ForkPoint | undefined {
  const key = shared.at(shared.length - 1);
  if (key === undefined || !hasReply(shared)) return undefined;
  const known = parent.forkPoint;
  if (known?.key === key && known.shared.length === shared.length) return { ...known, ...now(parent) };
  const point: ForkPoint = {
    shared,
    placeholders: calls === undefined ? [] : placeholdersFor(calls),
    sha256: historyHash(shared),
    key,
    warmUp: newWarmUp(),
    ...now(parent),
  };
  // Siblings share placeholders and hash instead of computing them again.
  parent.forkPoint = point;
  return point;
}

/** What may have changed since a sibling was started. */
function now(parent: LiveAgent) {
  const { state } = parent;
  return {
    upTo: state.lastSeq,
    breakpoints: state.breakpoints,
    reference: referenceOf(parent),
    cached: state.lastRequest.cached,
  };
}

/** Cache breakpoints of the child's first request: where its parent's request ended, and where siblings diverge. */
function forkBreakpoints(point: ForkPoint): readonly Breakpoint[] {
  return [...point.breakpoints, ...sharedBreakpoint(point)];
}

/** The end of what siblings share. Without placeholders the parent may have sent all of it already. */
function sharedBreakpoint({ shared, placeholders, breakpoints }: ForkPoint): Breakpoint[] {
  if (placeholders.length > 0) return [{ messages: shared.length, blocks: placeholders.length }];
  return breakpoints.some((mark) => mark.messages >= shared.length) ? [] : [{ messages: shared.length }];
}

function hasReply(history: HistoryView): boolean {
  for (let index = history.length - 1; index >= 0; index -= 1) {
    if (history.at(index)?.role === 'assistant') return true;
  }
  return false;
}

/** One result per call, in order; the same for all siblings. */
function placeholdersFor(reply: FrozenMessage): readonly FrozenBlock[] {
  return reply.blocks.flatMap((frozen) => {
    const block = frozen.type === 'tool_use' ? parseBlock(frozen) : undefined;
    return block?.type === 'tool_use'
      ? [freezeBlock({ type: 'tool_result', tool_use_id: block.id, content: FORK_PLACEHOLDER })]
      : [];
  });
}

/** What the API has counted of its parent's conversation counts for it, too. */
function countedOf({ state }: LiveAgent, { shared }: ForkPoint): LastRequest {
  const { tokens, messages } = state.lastRequest;
  return { tokens, messages: Math.min(messages, shared.length), cached: 0 };
}

const FORK_MAX_TURNS = 200;

export function planFork(runtime: Runtime, request: SpawnRequest, point: ForkPoint): Plan {
  const { parent } = request;
  const { record, epoch, host } = parent;
  const id = runtime.host.newShortId();
  const { description, prompt } = request;
  const warmUp = (signal: AbortSignal) => runtime.warmUps.enter(point, epoch.model, id, signal);
  return {
    ok: true,
    start: {
      record: {
        kind: 'agent-spawned',
        agent: id,
        type: FORK_TYPE,
        ...(request.name === undefined ? {} : { name: request.name }),
        description,
        parent: parent.id,
        call: request.call,
        depth: parent.depth + 1,
        origin: FORK_ORIGIN,
        model: epoch.model.id,
        mode: parent.mode,
        readOnly: record.readOnly,
        background: request.background,
        oneShot: false,
        maxTurns: Math.min(request.maxTurns ?? FORK_MAX_TURNS, FORK_MAX_TURNS),
        ...(request.maxUsd === undefined ? {} : { maxUsd: request.maxUsd }),
        cwd: host.folder,
        tools: epoch.tools.map((tool) => tool.name),
        ...(record.limits === undefined ? {} : { limits: record.limits }),
        ...(record.thinks === undefined ? {} : { thinks: record.thinks }),
        ...(record.effort === undefined ? {} : { effort: record.effort }),
        fork: {
          session: runtime.session,
          agent: parent.id,
          upTo: point.upTo,
          messages: point.shared.length,
          sha256: point.sha256,
        },
      },
      parent,
      epoch,
      host,
      hooks: childHooks(runtime),
      state: createState({
        inherited: point.shared,
        callIds: parent.state.callIds,
        breakpoints: forkBreakpoints(point),
        lastRequest: countedOf(parent, point),
      }),
      origin: point.reference,
      files: parent.files.clone(),
      told: { generation: 0, names: new Set(parent.told.names) },
      beforeRetry: warmUp,
    },
    introduce: async (agent) => {
      const { inbox } = agent;
      if (point.placeholders.length > 0) {
        await inbox.admitFrozen({ origin: 'fork-placeholders', key: 'placeholders' }, point.placeholders);
      }
      const directive = forkDirective({ directive: prompt, ownCheckout: false });
      await inbox.admit({ origin: 'fork-directive', key: 'directive' }, [text(directive)]);
    },
    beforeFirst: async (signal) => {
      const { id: model, keepsThinking } = epoch.model;
      const warn: ExpectedStart['warn'] = (line) => void runtime.agents.get(id)?.emit(line);
      warnIfCold(runtime.listeners, id, {
        cached: point.cached,
        model: { id: model, keepsThinking },
        description,
        warn,
      });
      await warmUp(signal);
    },
  };
}

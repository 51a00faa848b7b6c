/**
 * A fork: its parent's epoch and history by reference, plus its own suffix. The types leave no way to give a fork
 * another prefix, model or history, so its bytes are its parent's by construction.
 */

import { FORK_ORIGIN, FORK_TYPE } from '../../protocol/agent-spawned.js';
import { text } from '../../protocol/blocks.js';
import type { ForkReference } from '../../protocol/events.js';
import type { FrozenBlock } from '../../protocol/frozen-block.js';
import type { Breakpoint, HistoryView } from '../../protocol/history.js';
import { createState, type LastRequest } from '../../session/state/agent-state.js';
import { withOwnCall } from '../../session/state/own-call.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import { childHooks } from '../start/agent-hooks.js';
import type { Plan, SpawnRequest } from '../start/plan.js';
import { forkNotice } from '../worktrees/worktree.text.js';
import { asideDirective } from './aside.text.js';
import { type ExpectedStart, warnIfCold } from './cold-start.js';
import { forkDirective } from './fork-directive.text.js';
import type { ForkPoint } from './fork-point.js';

/** The start of one fork, except for its directive. */
type ForkStart = {
  readonly history: HistoryView;
  readonly placeholders: readonly FrozenBlock[];
  /** For its first request: where its parent's request ended, and where siblings diverge. */
  readonly breakpoints: readonly Breakpoint[];
  readonly siblings?: Pick<ForkReference, 'siblings' | 'call'>;
};

function startAt(point: ForkPoint, call: string): ForkStart {
  const { shared, before, key, calls, siblings, breakpoints } = point;
  const own = calls.get(call);
  if (siblings === 'own' && own !== undefined) {
    const history = withOwnCall(before, key, own.use);
    return { history, placeholders: [own.placeholder], breakpoints, siblings: { siblings, call } };
  }
  return {
    history: shared,
    placeholders: [...calls.values()].map(({ placeholder }) => placeholder),
    breakpoints: [...breakpoints, ...sharedBreakpoint(point)],
    ...(siblings === undefined ? {} : { siblings: { siblings: 'all' } }),
  };
}

/** The end of the part that siblings share. Without placeholders, the parent may already have sent all of it. */
function sharedBreakpoint({ shared, calls, breakpoints }: ForkPoint): Breakpoint[] {
  if (calls.size > 0) return [{ messages: shared.length, blocks: calls.size }];
  return breakpoints.some((mark) => mark.messages >= shared.length) ? [] : [{ messages: shared.length }];
}

/** The API's token count of the parent's conversation applies to the fork, too. */
function countedOf({ state }: LiveAgent, { shared }: ForkPoint): LastRequest {
  const { tokens, messages } = state.lastRequest;
  return { tokens, messages: Math.min(messages, shared.length), cached: 0 };
}

const FORK_MAX_TURNS = 200;

export function planFork(runtime: Runtime, request: SpawnRequest, point: ForkPoint): Plan {
  const { parent } = request;
  const { record, host } = parent;
  // The parent's model for a turn becomes the fork's permanent one, because the history belongs to that model.
  const epoch = { ...parent.epoch, base: undefined };
  const id = runtime.host.newShortId();
  const { description, prompt } = request;
  const { history, placeholders, breakpoints, siblings } = startAt(point, request.call);
  const warmUp = (signal: AbortSignal) => runtime.warmUps.enter(point.warmUp, id, signal);
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
        ...(record.memory === undefined ? {} : { memory: record.memory }),
        ...(record.thinks === undefined ? {} : { thinks: record.thinks }),
        ...(record.effort === undefined ? {} : { effort: record.effort }),
        fork: {
          session: runtime.session,
          agent: parent.id,
          upTo: point.upTo,
          messages: point.shared.length,
          sha256: point.sha256,
          ...siblings,
        },
        ...(request.aside === undefined ? {} : { aside: request.aside }),
      },
      parent,
      epoch,
      host,
      hooks: childHooks(runtime),
      state: createState({
        inherited: history,
        callIds: parent.state.callIds,
        breakpoints,
        lastRequest: countedOf(parent, point),
      }),
      origin: point.reference,
      files: parent.files.clone(),
      announced: { generation: 0, names: new Set(parent.announced.names) },
      beforeRetry: warmUp,
    },
    introduce: async (agent, made) => {
      const { inbox } = agent;
      if (placeholders.length > 0) {
        await inbox.admitFrozen({ origin: 'fork-placeholders', key: 'placeholders' }, placeholders);
      }
      const directive = request.aside
        ? asideDirective(prompt)
        : forkDirective({ directive: prompt, ownCheckout: made !== undefined });
      await inbox.admit({ origin: 'fork-directive', key: 'directive' }, [text(directive)]);
      if (made === undefined) return;
      // Comes after everything that siblings share.
      const notice = forkNotice({ ...made, folder: agent.host.folder });
      await inbox.admit({ origin: 'reminder', key: 'worktree' }, [text(notice)]);
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

/**
 * The view of a session that every client shows: one fold over its events, live or from transcripts. Pure: no clock, no
 * I/O. A client that prints lines reads the view before an event, then applies the event.
 */

import { costOf, type ModelOverrides, modelData } from '../../model/models.js';
import { type AgentEvent, MAIN_AGENT, type SessionEvent } from '../../protocol/events.js';
import type { PermissionMode } from '../../protocol/permission.js';
import { addUsage, NO_USAGE, subtractUsage, type Usage } from '../../protocol/usage.js';
import type { QueuedInput } from './agent-queue.js';
import { addForModel, spentBy } from './agent-usage.js';
import { type AgentView, blankAgent, hasOpenRun, type PastAgent, pastAgent, reduceAgent } from './agent-view.js';
import { readNotice } from './read-notice.js';

/** A background shell command. */
export type ShellView = {
  readonly id: string;
  /** The agent that started it. */
  readonly owner: string;
  readonly call: string;
  readonly command: string;
  readonly output: string;
  /** `running`, or the status in its notice: completed, failed, stopped. */
  readonly status: string;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
};

export type SessionView = {
  /** In order of first appearance. */
  readonly agents: ReadonlyMap<string, AgentView>;
  readonly shells: ReadonlyMap<string, ShellView>;
  readonly totals: Totals;
  /** Of the main agent. */
  readonly todos: readonly unknown[];
  readonly mode: PermissionMode | undefined;
  /** The status reported by each delivered notice, by `noticeKey`. */
  readonly notices: ReadonlyMap<string, string>;
};

export type ViewFold = SessionView & {
  /** Events of one agent arrive in order. `now`: milliseconds, from the clock the client reads the view with. */
  apply(sessionEvent: SessionEvent, now: number): void;
};

export type ViewOptions = {
  /** Facts that a resumed session does not report again as events. */
  readonly main?: {
    readonly model: string;
    readonly folder: string;
    readonly mode: PermissionMode;
    /** Messages of the user that were unread. */
    readonly queue?: readonly QueuedInput[];
  };
  /** Agents of an earlier process. */
  readonly past?: readonly PastAgent[];
};

export function createView({ main, past = [] }: ViewOptions = {}): ViewFold {
  const agents = new Map<string, AgentView>(past.map((agent) => [agent.agent, pastAgent(agent)]));
  const shells = new Map<string, ShellView>();
  const notices = new Map<string, string>();
  const waits = new ModelWaits();
  let totals = NO_TOTALS;
  let todos: readonly unknown[] = [];
  let mode = main?.mode;

  const blank = (id: string): AgentView =>
    id === MAIN_AGENT && main
      ? { ...blankAgent(id), model: main.model, folder: main.folder, queue: main.queue ?? [] }
      : blankAgent(id);

  function applyToAgent({ agent: id, event, seq }: SessionEvent, now: number): void {
    if (event.kind === 'agent-dropped') {
      agents.delete(id);
      return;
    }
    const before = agents.get(id) ?? blank(id);
    totals = addToTotals(totals, event, before);
    const after = reduceAgent(before, event, seq, now);
    if (after !== before) agents.set(id, after);
  }

  function applyToMain(event: AgentEvent): void {
    if (event.kind === 'session-started' || event.kind === 'mode-changed') mode = event.mode;
    if (event.kind === 'todos-changed') todos = event.items;
    if (event.kind === 'turn-started') totals = { ...totals, stop: null };
    if (event.kind === 'assistant-replied' && event.stop !== 'interrupted') totals = { ...totals, stop: event.stop };
  }

  function applyToShells({ agent, event }: SessionEvent, now: number): void {
    switch (event.kind) {
      case 'task-started': {
        const { task: id, call, command, output } = event;
        // Transcripts are read one after another: its end may already be known.
        const known = notices.get(noticeKey({ agent: id, run: 1 }));
        const endedAt = known === undefined ? undefined : now;
        shells.set(id, {
          id,
          owner: agent,
          call,
          command,
          output,
          status: known ?? 'running',
          startedAt: now,
          endedAt,
        });
        return;
      }
      case 'input-admitted': {
        if (event.notice === undefined) return;
        const { status } = readNotice(event.blocks);
        notices.set(noticeKey(event.notice), status);
        endShell(event.notice.agent, status, now);
        return;
      }
      case 'agent-state-changed':
        // A child's commands end with it, without a notice.
        if (hasOpenRun(event.state)) return;
        for (const { id, owner } of shells.values()) if (owner === agent) endShell(id, 'stopped', now);
        return;
      default:
        return;
    }
  }

  function endShell(id: string, status: string, now: number): void {
    const shell = shells.get(id);
    if (shell?.status === 'running') shells.set(id, { ...shell, status, endedAt: now });
  }

  return {
    agents,
    shells,
    notices,
    get totals() {
      return totals;
    },
    get todos() {
      return todos;
    },
    get mode() {
      return mode;
    },
    apply: (sessionEvent, now) => {
      applyToAgent(sessionEvent, now);
      applyToShells(sessionEvent, now);
      const apiMs = waits.take(sessionEvent, now);
      if (apiMs > 0) totals = { ...totals, apiMs: totals.apiMs + apiMs };
      if (sessionEvent.agent === MAIN_AGENT) applyToMain(sessionEvent.event);
    },
  };
}

/** A notice that is passed to the next agent up stays the same notice. */
export function noticeKey({ agent, run }: { readonly agent: string; readonly run: number }): string {
  return `${agent} ${run}`;
}

/** In the wire format of results. */
export type Denial = { readonly tool_name: string; readonly tool_use_id: string; readonly tool_input: unknown };

export type Totals = {
  readonly turns: number;
  readonly usageByModel: ReadonlyMap<string, Usage>;
  readonly denials: readonly Denial[];
  /** Time spent waiting for the model, summed over all agents. */
  readonly apiMs: number;
  /** Why the main agent's last reply ended; null while its last turn has none. */
  readonly stop: string | null;
};

const NO_TOTALS: Totals = { turns: 0, usageByModel: new Map(), denials: [], apiMs: 0, stop: null };

/** `agent`: the event's agent before the event. Returns the same object if nothing is added. */
function addToTotals(totals: Totals, event: AgentEvent, agent: AgentView): Totals {
  if (event.kind === 'turn-started') return { ...totals, turns: totals.turns + 1 };
  if (event.kind === 'permission-answered' && event.behavior === 'deny') {
    const tool_input = agent.calls.find(({ id }) => id === event.call)?.input ?? {};
    const denial = { tool_name: event.tool, tool_use_id: event.call, tool_input };
    return { ...totals, denials: [...totals.denials, denial] };
  }
  const spent = spentBy(agent, event);
  if (spent === undefined) return totals;
  return { ...totals, usageByModel: addForModel(totals.usageByModel, spent.model, spent.usage) };
}

/** The increase since an earlier state of the same view. */
export function subtractTotals(now: Totals, earlier: Totals): Totals {
  const usageByModel = new Map<string, Usage>();
  for (const [model, usage] of now.usageByModel) {
    if (earlier.usageByModel.get(model) === usage) continue;
    usageByModel.set(model, subtractUsage(usage, earlier.usageByModel.get(model) ?? NO_USAGE));
  }
  const turns = now.turns - earlier.turns;
  const denials = now.denials.slice(earlier.denials.length);
  return { turns, usageByModel, denials, apiMs: now.apiMs - earlier.apiMs, stop: turns === 0 ? null : now.stop };
}

export function totalUsage({ usageByModel }: Totals): Usage {
  return [...usageByModel.values()].reduce(addUsage, NO_USAGE);
}

/** In dollars. Models without a price add zero. */
export function totalCost({ usageByModel }: Totals, models: ModelOverrides = {}): number {
  let cost = 0;
  for (const [model, usage] of usageByModel) cost += costOf(usage, modelData(model, models)) ?? 0;
  return cost;
}

/** Measures how long agents wait for the model: from a request to its reply, retries included. */
class ModelWaits {
  readonly #since = new Map<string, number>();

  /** Returns the milliseconds that end with this event. */
  take({ agent, event }: SessionEvent, now: number): number {
    const since = this.#since.get(agent);
    if (since === undefined) {
      if (event.kind === 'request-sent' || event.kind === 'compaction-began') this.#since.set(agent, now);
      return 0;
    }
    if (!endsWait(event)) return 0;
    this.#since.delete(agent);
    return now - since;
  }
}

function endsWait(event: AgentEvent): boolean {
  switch (event.kind) {
    case 'assistant-replied':
    case 'history-compacted':
    case 'compaction-failed':
    case 'run-ended':
      return true;
    // It is retried; that wait is included.
    case 'response-discarded':
      return event.delayMs === 0;
    default:
      return false;
  }
}

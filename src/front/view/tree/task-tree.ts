/**
 * The agents and background commands of a session as a tree, updated from the view repeatedly. Only what changed is
 * processed again, and sorted only where a state changed, so that 200 agents are cheap.
 */

import type { ModelOverrides } from '../../../model/models.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import type { AgentView } from '../agent-view.js';
import type { SessionView, ShellView } from '../session-view.js';
import { NO_COUNTS, rankOf, type StateCounts, stateOfAgent, stateOfShell, type TaskState } from './task-state.js';
import { AgentUsageTotals, NO_USAGE_TOTALS, totalOf, type UsageTotals } from './usage-totals.js';

/** `of`: the agent or command in its current state. */
export type Task = TaskShape &
  ({ readonly kind: 'agent'; readonly of: AgentView } | { readonly kind: 'shell'; readonly of: ShellView });

/** The properties that decide a task's position in the tree. */
type TaskShape = {
  readonly id: string;
  readonly parent: string;
  readonly state: TaskState;
  readonly startedAt: number;
  /** The number of its run: a seen failure belongs to one run. */
  readonly run: number;
  /** Identifies its question, shared by all that ask the same; undefined: it does not ask about a call. */
  readonly asks: string | undefined;
};

/** A task and all below it. */
export type Branch = { readonly totals: UsageTotals; readonly counts: StateCounts; readonly commands: number };

export class TaskTree {
  readonly #figures: AgentUsageTotals;
  readonly #tasks = new Map<string, Task>();
  readonly #seen = new Set<string>();
  #children = new Map<string, readonly string[]>();
  #ranks = new Map<string, number>();
  #agents = 0;
  #shape = 0;
  #isStale = true;
  #whole: Branch | undefined;

  constructor(models: ModelOverrides) {
    this.#figures = new AgentUsageTotals(models);
  }

  /** Changes when tasks are added, removed or change their state. */
  get shape(): number {
    return this.#shape;
  }

  get size(): number {
    return this.#tasks.size;
  }

  /** Without commands. */
  get agents(): number {
    return this.#agents;
  }

  find(id: string): Task | undefined {
    return this.#tasks.get(id);
  }

  totalsOf(task: Task): UsageTotals {
    return task.kind === 'agent' ? this.#figures.of(task.of) : NO_USAGE_TOTALS;
  }

  update(view: Pick<SessionView, 'agents' | 'shells'>): void {
    let count = 0;
    for (const agent of view.agents.values()) {
      if (agent.id === MAIN_AGENT) continue;
      count += 1;
      if (this.#tasks.get(agent.id)?.of !== agent) this.#put(taskOfAgent(agent));
    }
    this.#agents = count;
    for (const shell of view.shells.values()) {
      count += 1;
      if (this.#tasks.get(shell.id)?.of !== shell) this.#put(taskOfShell(shell));
    }
    if (count !== this.#tasks.size) this.#forget(view);
    if (this.#isStale) this.#arrange();
  }

  /** A seen failure ranks like any other end. */
  see(id: string): void {
    const task = this.#tasks.get(id);
    if (task?.state !== 'failed' || this.#seen.has(seenKey(task))) return;
    this.#seen.add(seenKey(task));
    this.#isStale = true;
  }

  isSeen(task: Task): boolean {
    return this.#seen.has(seenKey(task));
  }

  /** Most urgent first, then by start. */
  childrenOf(id: string): readonly Task[] {
    return (this.#children.get(id) ?? []).flatMap((child) => this.#tasks.get(child) ?? []);
  }

  /** The rank of the most urgent task in its branch: 0 asking, 1 failed and unseen, 2 running. */
  rankOf({ id }: Task): number {
    return this.#ranks.get(id) ?? Number.MAX_SAFE_INTEGER;
  }

  /** True if one asks, or has failed unseen. */
  get isUrgent(): boolean {
    const [first = ''] = this.#children.get(MAIN_AGENT) ?? [];
    return (this.#ranks.get(first) ?? Number.MAX_SAFE_INTEGER) < 2;
  }

  /** All agents and commands. The same object while nothing in it changes. */
  whole(): Branch {
    this.#whole ??= this.gather(this.#tasks.values());
    return this.#whole;
  }

  /** These, and all below them. */
  branches(tasks: readonly Task[]): Branch {
    const all: Task[] = [];
    const walk = (task: Task) => {
      all.push(task);
      for (const child of this.childrenOf(task.id)) walk(child);
    };
    for (const task of tasks) walk(task);
    return this.gather(all);
  }

  /** Only these. */
  gather(tasks: Iterable<Task>): Branch {
    const totals: UsageTotals[] = [];
    let commands = 0;
    const counts = { ...NO_COUNTS };
    for (const task of tasks) {
      if (task.kind === 'agent') {
        counts[task.state] += 1;
        totals.push(this.#figures.of(task.of));
      } else if (task.state === 'running') commands += 1;
    }
    return { totals: totalOf(totals), counts, commands };
  }

  #put(task: Task): void {
    const before = this.#tasks.get(task.id);
    this.#tasks.set(task.id, task);
    if (before === undefined || !isSameShape(before, task)) this.#isStale = true;
    if (!hasSameFigures(before, task)) this.#whole = undefined;
  }

  #forget({ agents, shells }: Pick<SessionView, 'agents' | 'shells'>): void {
    for (const id of this.#tasks.keys()) {
      if (agents.has(id) || shells.has(id)) continue;
      this.#tasks.delete(id);
      this.#isStale = true;
    }
  }

  #parentOf({ parent }: Task): string {
    return this.#tasks.has(parent) ? parent : MAIN_AGENT;
  }

  #arrange(): void {
    const children = new Map<string, Task[]>();
    for (const task of this.#tasks.values()) {
      const parent = this.#parentOf(task);
      const siblings = children.get(parent);
      if (siblings === undefined) children.set(parent, [task]);
      else siblings.push(task);
    }
    const ranks = new Map<string, number>();
    const rank = (task: Task): number => {
      const below = (children.get(task.id) ?? []).map(rank);
      const own = Math.min(rankOf(task.state, this.isSeen(task)), ...below);
      ranks.set(task.id, own);
      return own;
    };
    for (const task of children.get(MAIN_AGENT) ?? []) rank(task);
    const byRank = (a: Task, b: Task) => (ranks.get(a.id) ?? 0) - (ranks.get(b.id) ?? 0) || a.startedAt - b.startedAt;
    this.#children = new Map();
    for (const [parent, siblings] of children) {
      this.#children.set(
        parent,
        siblings.sort(byRank).map(({ id }) => id),
      );
    }
    this.#ranks = ranks;
    this.#shape += 1;
    this.#isStale = false;
    this.#whole = undefined;
  }
}

function seenKey({ id, run }: Task): string {
  return `${id} ${run}`;
}

function taskOfAgent(agent: AgentView): Task {
  const { id, parent = MAIN_AGENT, startedAt = 0, run } = agent;
  return { kind: 'agent', of: agent, id, parent, state: stateOfAgent(agent), startedAt, run, asks: askedBy(agent) };
}

function taskOfShell(shell: ShellView): Task {
  const { id, owner, startedAt } = shell;
  return {
    kind: 'shell',
    of: shell,
    id,
    parent: owner,
    state: stateOfShell(shell),
    startedAt,
    run: 1,
    asks: undefined,
  };
}

/** A question that is not about a call is never shared. */
function askedBy({ questions: [first] }: AgentView): string | undefined {
  if (first?.question === undefined || first.question.about !== undefined) return undefined;
  return JSON.stringify([first.tool, first.question.call.input]);
}

/** A new token changes an agent, but none of its numbers. */
function hasSameFigures(before: Task | undefined, after: Task): boolean {
  if (before?.kind !== 'agent' || after.kind !== 'agent') return false;
  return before.of.usageByModel === after.of.usageByModel;
}

function isSameShape(a: Task, b: Task): boolean {
  return (
    a.state === b.state &&
    a.startedAt === b.startedAt &&
    a.parent === b.parent &&
    a.run === b.run &&
    a.asks === b.asks &&
    (a.kind === 'shell' || (b.kind === 'agent' && a.of.type === b.of.type))
  );
}

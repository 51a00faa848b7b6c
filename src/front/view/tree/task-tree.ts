/**
 * The agents and background commands of a session as a tree. It is brought up to date from the view again and again: only
 * what changed is looked at anew, and the order only where a state changed, so that 200 agents are cheap.
 */

import type { ModelOverrides } from '../../../model/models.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import type { AgentView } from '../agent-view.js';
import type { SessionView, ShellView } from '../session-view.js';
import { NO_COUNTS, rankOf, type StateCounts, stateOfAgent, stateOfShell, type TaskState } from './task-state.js';
import { AgentUsageTotals, NO_USAGE_TOTALS, totalOf, type UsageTotals } from './usage-totals.js';

/** `of` is the agent or the command, as it is now. */
export type Task = TaskShape &
  ({ readonly kind: 'agent'; readonly of: AgentView } | { readonly kind: 'shell'; readonly of: ShellView });

/** What the place of a task in the tree depends on. */
type TaskShape = {
  readonly id: string;
  readonly parent: string;
  readonly state: TaskState;
  readonly startedAt: number;
  /** Which of its runs: a failure that was seen is one of a run. */
  readonly run: number;
  /** What it asks, the same for all that ask the same; undefined: it does not ask about a call. */
  readonly asks: string | undefined;
};

/** A task and all below it. */
export type Branch = { readonly sums: UsageTotals; readonly counts: StateCounts; readonly commands: number };

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

  /** Another number: tasks came, went or changed their state. */
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

  sumsOf(task: Task): UsageTotals {
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

  /** A failure that the person has seen is as good as any other end. */
  see(id: string): void {
    const task = this.#tasks.get(id);
    if (task?.state !== 'failed' || this.#seen.has(seenKey(task))) return;
    this.#seen.add(seenKey(task));
    this.#isStale = true;
  }

  isSeen(task: Task): boolean {
    return this.#seen.has(seenKey(task));
  }

  /** In order: the most urgent first, within that by start. */
  childrenOf(id: string): readonly Task[] {
    return (this.#children.get(id) ?? []).flatMap((child) => this.#tasks.get(child) ?? []);
  }

  /** Of the most urgent task among it and those below it: 0 asks, 1 failed and unseen, 2 working. */
  rankOf({ id }: Task): number {
    return this.#ranks.get(id) ?? Number.MAX_SAFE_INTEGER;
  }

  /** Whether one asks, or has failed and nobody saw it. */
  get isUrgent(): boolean {
    const [first = ''] = this.#children.get(MAIN_AGENT) ?? [];
    return (this.#ranks.get(first) ?? Number.MAX_SAFE_INTEGER) < 2;
  }

  /** All agents and commands. The same object while nothing in it changed. */
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
    const sums: UsageTotals[] = [];
    let commands = 0;
    const counts = { ...NO_COUNTS };
    for (const task of tasks) {
      if (task.kind === 'agent') {
        counts[task.state] += 1;
        sums.push(this.#figures.of(task.of));
      } else if (task.state === 'working') commands += 1;
    }
    return { sums: totalOf(sums), counts, commands };
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

/** Questions that are not about a call are nobody else's. */
function askedBy({ questions: [first] }: AgentView): string | undefined {
  if (first?.question === undefined || first.question.about !== undefined) return undefined;
  return JSON.stringify([first.tool, first.question.call.input]);
}

/** A token that came changes an agent, and none of its figures. */
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

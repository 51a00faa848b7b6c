/**
 * Lays a tree of tasks out as lines: open tasks with what is below them, many siblings of a type as one line, and those
 * that ask the same as one line (TU-3, TU-5, TU-6, TU-14).
 */

import { MAIN_AGENT } from '../../../protocol/events.js';
import { agentLabel, oneLine } from './agent-label.js';
import type { Task, TaskTree } from './task-tree.js';

export type TreeLine =
  | {
      readonly kind: 'task';
      /** Differs between a task in a group and one with its own line. */
      readonly key: string;
      readonly depth: number;
      readonly id: string;
      /** Undefined: nothing to open. */
      readonly isOpen: boolean | undefined;
      /** Siblings that ask the same and have no line of their own. */
      readonly alike: readonly string[];
      /** The line of its group. */
      readonly group: string | undefined;
    }
  | {
      readonly kind: 'group';
      readonly key: string;
      readonly depth: number;
      readonly type: string;
      readonly members: readonly string[];
      readonly isOpen: boolean;
    };

export type LayOptions = {
  /** `of`: the id of a task, or the key of a group. */
  readonly isOpen: (of: string, kind: TreeLine['kind']) => boolean;
  /** Text that a task must contain. */
  readonly filter?: string;
  /** The position of each line when the tree got the focus: none moves, and new ones come last. */
  readonly held?: ReadonlyMap<string, number>;
};

/** With more agents than this, siblings of a type share a line. */
const GROUPS_ABOVE = 30;

export function layTree(tree: TaskTree, options: LayOptions): readonly TreeLine[] {
  return new Layout(tree, options).lines;
}

type Entry = {
  readonly key: string;
  readonly tasks: readonly Task[];
  readonly kind: 'task' | 'group';
  /** The line it was split from: it goes directly below. */
  readonly from?: string | undefined;
};

class Layout {
  readonly lines: TreeLine[] = [];
  readonly #tree: TaskTree;
  readonly #options: LayOptions;
  readonly #isFlat: boolean;
  readonly #groups: boolean;

  constructor(tree: TaskTree, options: LayOptions) {
    this.#tree = tree;
    this.#options = options;
    this.#isFlat = (options.filter ?? '') !== '';
    this.#groups = tree.agents > GROUPS_ABOVE && !this.#isFlat;
    this.#layBelow(MAIN_AGENT, 0);
  }

  #layBelow(parent: string, depth: number): void {
    for (const entry of this.#entries(parent)) {
      if (entry.kind === 'group') this.#layGroup(entry, depth);
      else this.#layTask(entry, depth, undefined);
    }
  }

  #layGroup({ key, tasks }: Entry, depth: number): void {
    const isOpen = this.#options.isOpen(key, 'group');
    const [first] = tasks;
    const type = first?.kind === 'agent' ? first.of.type : '';
    this.lines.push({ kind: 'group', key, depth, type, members: tasks.map(({ id }) => id), isOpen });
    if (!isOpen) return;
    const members = tasks.map((task): Entry => ({ key: `${key} ${task.id}`, tasks: [task], kind: 'task' }));
    for (const task of this.#inOrder(members)) this.#layTask(task, depth + 1, key);
  }

  #layTask({ key, tasks }: Entry, depth: number, group: string | undefined): void {
    const [task, ...others] = tasks;
    if (task === undefined) return;
    const hasMore = this.#tree.childrenOf(task.id).length > 0;
    if (this.#isFlat) {
      if (matches(task, this.#options.filter ?? '')) {
        this.lines.push({ kind: 'task', key, depth: 0, id: task.id, isOpen: undefined, alike: [], group });
      }
      this.#layBelow(task.id, 0);
      return;
    }
    const isOpen = this.#options.isOpen(task.id, 'task');
    const opens = hasMore || others.length > 0;
    const alike = others.map(({ id }) => id);
    this.lines.push({ kind: 'task', key, depth, id: task.id, isOpen: opens ? isOpen : undefined, alike, group });
    if (hasMore && isOpen) this.#layBelow(task.id, depth + 1);
  }

  #entries(parent: string): readonly Entry[] {
    const entries = new Map<string, Task[]>();
    const kinds = new Map<string, Entry['kind']>();
    const sources = new Map<string, string | undefined>();
    const asked = new Map<string, string>();
    for (const task of this.#tree.childrenOf(parent)) {
      const group = this.#groupOf(task, parent);
      const leader = this.#leaderOf(task, asked);
      const key = group ?? (leader !== undefined && this.#isMerged(task, leader) ? leader : task.id);
      if (key === task.id) sources.set(key, leader);
      kinds.set(key, group === undefined ? 'task' : 'group');
      const together = entries.get(key);
      if (together === undefined) entries.set(key, [task]);
      else together.push(task);
    }
    const all = [...entries].map(([key, tasks]): Entry => {
      const [only] = tasks;
      const isAlone = tasks.length === 1 && only !== undefined;
      return isAlone ? { ...single(only), from: sources.get(only.id) } : { key, tasks, kind: kinds.get(key) ?? 'task' };
    });
    return this.#inOrder(all);
  }

  /** A task that asks or failed, itself or below, stays single; with the focus, a task with its own line keeps it. */
  #groupOf(task: Task, parent: string): string | undefined {
    if (!this.#groups || task.kind === 'shell' || task.state === 'failed' || this.#tree.rankOf(task) < 2)
      return undefined;
    return this.#options.held?.has(task.id) ? undefined : `${parent} ×${task.of.type}`;
  }

  /** The first sibling that asks the same. */
  #leaderOf({ id, asks }: Task, asked: Map<string, string>): string | undefined {
    if (asks === undefined || this.#isFlat) return undefined;
    const leader = asked.get(asks);
    if (leader === undefined) asked.set(asks, id);
    return leader;
  }

  /** While the leader's line is closed. With the focus, a task with its own line keeps it. */
  #isMerged({ id }: Task, leader: string): boolean {
    return !this.#options.isOpen(leader, 'task') && this.#options.held?.has(id) !== true;
  }

  /** In the order of the tree; with the focus, in the order they had. */
  #inOrder(entries: readonly Entry[]): readonly Entry[] {
    const { held } = this.#options;
    if (held === undefined) return entries;
    const place = ({ key, from = '' }: Entry) => held.get(key) ?? (held.get(from) ?? Number.MAX_SAFE_INTEGER) + 0.5;
    return [...entries].sort((a, b) => place(a) - place(b));
  }
}

function single(task: Task): Entry {
  return { key: task.id, tasks: [task], kind: 'task' };
}

function matches(task: Task, filter: string): boolean {
  const words =
    task.kind === 'agent' ? `${agentLabel(task.of)} ${task.of.type} ${task.of.description}` : task.of.command;
  return oneLine(`${words} ${task.state}`).toLowerCase().includes(filter.toLowerCase());
}

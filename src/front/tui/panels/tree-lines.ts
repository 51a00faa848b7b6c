/** The lines of the tree as the user works with them: open, chosen, filtered, marked. */

import { layTree, type TreeLine } from '../../view/tree/lay-tree.js';
import type { Task, TaskTree } from '../../view/tree/task-tree.js';

export class TreeLines {
  readonly #tree: TaskTree;
  readonly #opensAll: boolean;
  /** Ids of tasks and keys of groups that differ from their default. */
  readonly #toggled = new Set<string>();
  readonly #marked = new Set<string>();
  /** While the tree has the focus: the position of each line. */
  #held: Map<string, number> | undefined;
  #lines: readonly TreeLine[] = [];
  #laid = '';
  #changes = 0;
  #chosen = 0;
  #filter = '';

  /** `opensAll`: parents are open by default; groups never are. */
  constructor(tree: TaskTree, opensAll: boolean) {
    this.#tree = tree;
    this.#opensAll = opensAll;
  }

  get all(): readonly TreeLine[] {
    return this.#lines;
  }

  get chosen(): TreeLine | undefined {
    return this.#lines[this.#chosen];
  }

  get chosenIndex(): number {
    return this.#chosen;
  }

  /** Undefined: a group. */
  get chosenTask(): Task | undefined {
    const { chosen } = this;
    return chosen?.kind === 'task' ? this.#tree.find(chosen.id) : undefined;
  }

  get filter(): string {
    return this.#filter;
  }

  set filter(text: string) {
    this.#filter = text;
    this.#changes += 1;
  }

  /** In the order they were marked. */
  get marked(): readonly string[] {
    return [...this.#marked];
  }

  isMarked(line: TreeLine): boolean {
    return line.kind === 'task' && this.#marked.has(line.id);
  }

  /** From now on no line moves. */
  hold(): void {
    this.#held ??= new Map(this.#lines.map(({ key }, index) => [key, index]));
    this.#chosen = 0;
  }

  release(): void {
    this.#held = undefined;
    this.#filter = '';
    this.#marked.clear();
    this.#changes += 1;
  }

  /** After a change of the tree. The chosen line stays chosen if it still exists. */
  lay(): void {
    const laid = `${this.#tree.shape} ${this.#changes}`;
    if (laid === this.#laid) return;
    this.#laid = laid;
    const before = this.chosen;
    this.#lines = layTree(this.#tree, {
      isOpen: (of, kind) => this.#isOpen(of, kind),
      filter: this.#filter,
      ...(this.#held === undefined ? {} : { held: this.#held }),
    });
    this.#holdNew();
    this.#choose(before);
  }

  move(by: number): void {
    this.#chosen = Math.max(0, Math.min(this.#lines.length - 1, this.#chosen + by));
  }

  open(): void {
    const { chosen } = this;
    if (chosen?.isOpen === false) this.#toggle(chosen);
  }

  /** Closes the line; if already closed, goes to its parent. */
  close(): void {
    const { chosen } = this;
    if (chosen === undefined) return;
    const of = chosen.kind === 'task' ? chosen.id : chosen.key;
    const isOpened = this.#isOpen(of, chosen.kind) && (chosen.isOpen === true || this.#toggled.has(of));
    if (isOpened) {
      this.#toggle(chosen);
      return;
    }
    const above = this.#lines.findLastIndex(({ depth }, at) => at < this.#chosen && depth < chosen.depth);
    if (above >= 0) this.#chosen = above;
  }

  mark(): void {
    const task = this.chosenTask;
    if (task?.kind !== 'agent') return;
    if (!this.#marked.delete(task.id)) this.#marked.add(task.id);
  }

  #toggle(line: TreeLine): void {
    const of = line.kind === 'task' ? line.id : line.key;
    if (!this.#toggled.delete(of)) this.#toggled.add(of);
    else if (line.kind === 'task') this.#letGo(line.id);
    this.#changes += 1;
    this.lay();
  }

  /** Tasks that ask the same as a closed one lose their own position. */
  #letGo(id: string): void {
    const closed = this.#tree.find(id);
    if (closed?.asks === undefined) return;
    for (const line of this.#lines) {
      const task = line.kind === 'task' && line.id !== id ? this.#tree.find(line.id) : undefined;
      if (task?.asks === closed.asks && task.parent === closed.parent) this.#held?.delete(line.key);
    }
  }

  #isOpen(of: string, kind: TreeLine['kind']): boolean {
    return this.#toggled.has(of) !== (this.#opensAll && kind === 'task');
  }

  /** A line keeps the position where it is first shown. */
  #holdNew(): void {
    const held = this.#held;
    if (held === undefined || this.#filter !== '') return;
    for (const [index, { key }] of this.#lines.entries()) held.set(key, index);
  }

  #choose(before: TreeLine | undefined): void {
    const same = this.#lines.findIndex(({ key }) => key === before?.key);
    const id = before?.kind === 'task' ? before.id : undefined;
    const alike = same >= 0 ? same : this.#lines.findIndex((line) => line.kind === 'task' && line.id === id);
    this.#chosen = alike >= 0 ? alike : Math.max(0, Math.min(this.#chosen, this.#lines.length - 1));
  }
}

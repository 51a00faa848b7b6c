/** Counts what lines of a tree represent, for those that don't fit on the screen (TU-6). */

import type { TreeLine } from './lay-tree.js';
import { NO_COUNTS, type StateCounts, TASK_STATES } from './task-state.js';
import type { Branch, Task, TaskTree } from './task-tree.js';

/** A closed line represents everything below it, an open one only itself. */
export function branchOf(tree: TaskTree, line: TreeLine): Branch {
  const tasks = tasksOf(tree, line);
  if (line.kind === 'group') return line.isOpen ? tree.gather([]) : tree.branches(tasks);
  return line.isOpen ? tree.gather(tasks) : tree.branches(tasks);
}

function tasksOf(tree: TaskTree, line: TreeLine): readonly Task[] {
  const ids = line.kind === 'group' ? line.members : [line.id, ...line.alike];
  return ids.flatMap((id) => tree.find(id) ?? []);
}

export function countLines(tree: TaskTree, lines: readonly TreeLine[]): Pick<Branch, 'counts' | 'commands'> {
  const counts = { ...NO_COUNTS };
  let commands = 0;
  for (const line of lines) {
    const branch = branchOf(tree, line);
    for (const state of TASK_STATES) counts[state] += branch.counts[state];
    commands += branch.commands;
  }
  return { counts, commands };
}

/** `3 asking`, `6 running`: without zeros. */
export function countTexts(counts: StateCounts): readonly string[] {
  return TASK_STATES.filter((state) => counts[state] > 0).map((state) => `${counts[state]} ${state}`);
}

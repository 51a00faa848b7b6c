/** Rows of the tree that need not be made again: nothing happened to them, and their times are hardly older. */

import type { TreeLine } from '../../view/tree/lay-tree.js';
import type { Task, TaskTree } from '../../view/tree/task-tree.js';
import type { Theme } from '../theme/theme.js';

/** Times are shown in seconds. */
const STEP_MS = 250;

type Kept = { readonly of: Task['of']; readonly row: string };
type Look = { readonly width: number; readonly theme: Theme; readonly shape: number; readonly step: number };

export class RowCache {
  readonly #tree: TaskTree;
  #look: Look | undefined;
  #rows = new Map<TreeLine, Kept>();

  constructor(tree: TaskTree) {
    this.#tree = tree;
  }

  /** The row of a line, made only if it could be another. One that tells of those below it, too, is always made. */
  take(line: TreeLine, look: { width: number; theme: Theme; now: number }, make: () => string): string {
    const task = line.kind === 'task' ? this.#tree.find(line.id) : undefined;
    if (task === undefined || line.kind === 'group' || line.isOpen === false) return make();
    this.#look = this.#same({ ...look, shape: this.#tree.shape, step: Math.floor(look.now / STEP_MS) });
    const known = this.#rows.get(line);
    if (known?.of === task.of) return known.row;
    const row = make();
    this.#rows.set(line, { of: task.of, row });
    return row;
  }

  /** Where it looks otherwise, nothing is kept. */
  #same({ width, theme, shape, step }: Look): Look {
    const last = this.#look;
    const isSame = last?.width === width && last.theme === theme && last.shape === shape && last.step === step;
    if (isSame) return last;
    this.#rows = new Map();
    return { width, theme, shape, step };
  }
}

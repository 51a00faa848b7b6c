/** The tree of agents and background commands in the live area: their action and cost, and keys for them (TU-3 to TU-8). */

import type { ModelOverrides } from '../../../model/models.js';
import type { SessionView } from '../../view/session-view.js';
import { countLines } from '../../view/tree/count-lines.js';
import type { TreeLine } from '../../view/tree/lay-tree.js';
import { NO_COUNTS } from '../../view/tree/task-state.js';
import { type Branch, type Task, TaskTree } from '../../view/tree/task-tree.js';
import type { KeyEvent } from '../input/key-event.js';
import { aliveOf, headRow, manyRow, restRow } from '../parts/tree-head.js';
import { treeRow } from '../parts/tree-row.js';
import { clip } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import { type TreeAction, TreeKeys } from './tree-keys.js';
import { DEFAULT_KEYS, type KeyOfTree, keysRow } from './tree-keys-row.js';
import { TreeLines } from './tree-lines.js';

export type TreePanelOptions = {
  readonly models?: ModelOverrides;
  /** With more running agents than this, a line shows their cost and how to stop them. */
  readonly warnAt?: number;
  /** The keys that stop all, as bound. */
  readonly stopKeys?: () => string;
  /** The keys of the tree, as bound. */
  readonly keyOf?: KeyOfTree;
  /** Parents are open by default. */
  readonly opensAll?: boolean;
};

export type PanelSize = { readonly width: number; readonly maxRows: number };

const NO_LINES: readonly TreeLine[] = [];
const WARN_AT = 50;
const STOP_KEYS = () => 'ctrl+x ctrl+k twice';

/** The maximum number of rows of the tree in a window of this height (TU-6). */
export function treeRows(rows: number): number {
  return Math.min(8, Math.floor(rows / 3));
}

export class TreePanel {
  readonly #options: TreePanelOptions;
  readonly #tree: TaskTree;
  readonly #lines: TreeLines;
  readonly #keys: TreeKeys;
  readonly #cache: RowCache;
  readonly #rate = new CostRate();
  #hasFocus = false;
  #now = 0;
  #first = 0;
  #page = 1;
  #hidden = { of: '', lines: NO_LINES, counts: { counts: NO_COUNTS, commands: 0 } };

  constructor(options: TreePanelOptions = {}) {
    this.#options = options;
    this.#tree = new TaskTree(options.models ?? {});
    this.#lines = new TreeLines(this.#tree, options.opensAll ?? false);
    this.#keys = new TreeKeys(this.#tree, this.#lines);
    this.#cache = new RowCache(this.#tree);
  }

  get hasFocus(): boolean {
    return this.#hasFocus;
  }

  /** True if keys are text of a filter. */
  get isTyping(): boolean {
    return this.#keys.filter !== undefined;
  }

  /** True if there is nothing to show. */
  get isEmpty(): boolean {
    return this.#tree.size === 0;
  }

  focus(): void {
    if (this.#hasFocus) return;
    this.#hasFocus = true;
    this.#lines.hold();
    this.#keys.seeChosen();
  }

  blur(): void {
    this.#hasFocus = false;
    this.#keys.reset();
    this.#lines.release();
    this.#first = 0;
  }

  rows(view: Pick<SessionView, 'agents' | 'shells'>, now: number, size: PanelSize, theme: Theme): string[] {
    this.#now = now;
    this.#tree.update(view);
    if (this.#tree.size === 0 || size.maxRows < 1) return [];
    this.#lines.lay();
    this.#keys.expire(now);
    const whole = this.#tree.whole();
    this.#rate.take(now, whole.totals.cost);
    const around = { width: size.width, theme };
    if (!this.#hasFocus && this.#isAtRest(whole)) return [headRow(whole, { ...around, hint: '↓ opens' })];
    const { warnAt = WARN_AT, stopKeys = STOP_KEYS } = this.#options;
    const many = manyRow(whole, { ...around, warnAt, stopKeys: stopKeys(), perMinute: this.#rate.perMinute });
    const top = [headRow(whole, around), ...(many === undefined ? [] : [many])].slice(0, size.maxRows);
    return [...top, ...this.#body({ ...size, maxRows: size.maxRows - top.length }, theme)];
  }

  press(event: KeyEvent): TreeAction | undefined {
    if (event.kind !== 'key' || !this.#hasFocus) return undefined;
    const action = this.#keys.press(event, this.#now, this.#page);
    if (action?.kind === 'leave') this.blur();
    return action;
  }

  /** Nothing is running, and nothing needs the user: the head is enough. */
  #isAtRest({ counts, commands }: Branch): boolean {
    return aliveOf(counts) + counts.interrupted + commands === 0 && !this.#tree.isUrgent;
  }

  #body({ width, maxRows }: PanelSize, theme: Theme): string[] {
    const lines = this.#lines.all;
    if (maxRows < 1) return [];
    const hasFoot = this.#hasFocus || lines.length > maxRows;
    const room = Math.max(hasFoot ? maxRows - 1 : maxRows, 0);
    this.#page = Math.max(1, room);
    this.#scroll(lines.length, room);
    const shown = lines.slice(this.#first, this.#first + room);
    const rows = shown.map((line, index) => this.#row(line, this.#first + index, width, theme));
    if (!hasFoot) return rows;
    return [...rows, this.#foot(room, width, theme)];
  }

  #scroll(count: number, room: number): void {
    const chosen = this.#lines.chosenIndex;
    if (!this.#hasFocus) this.#first = 0;
    else if (chosen < this.#first) this.#first = chosen;
    else if (chosen >= this.#first + room) this.#first = chosen - room + 1;
    this.#first = Math.max(0, Math.min(this.#first, count - room));
  }

  /** With the focus there is room for the chosen and marked lines. */
  #row(line: TreeLine, index: number, width: number, theme: Theme): string {
    const now = this.#now;
    if (!this.#hasFocus) {
      return this.#cache.take(line, { width, theme, now }, () => treeRow(this.#tree, line, { width, now, theme }));
    }
    const isChosen = index === this.#lines.chosenIndex;
    const before = `${isChosen ? '›' : ' '}${this.#lines.isMarked(line) ? '*' : ' '}`;
    const row = treeRow(this.#tree, line, { width: Math.max(0, width - before.length), now, theme });
    return clip(isChosen ? theme.chosen(`${before}${row}`) : `${before}${row}`, width);
  }

  #foot(room: number, width: number, theme: Theme): string {
    if (!this.#hasFocus) return restRow(this.#countHidden(room), { width, theme, hint: '↓ opens' });
    const { filter, all, marked } = this.#lines;
    const typed = this.#keys.filter;
    if (typed !== undefined) return clip(`  / ${typed.before}▏${typed.after}`, width);
    const found = filter === '' ? '' : `/ ${filter}`;
    const more = Math.max(0, all.length - room);
    const shown = { note: this.#keys.note, filter: found, more, marked: marked.length };
    return keysRow(shown, this.#options.keyOf ?? DEFAULT_KEYS, width, theme);
  }

  /** Counts change only with the shape of the tree. */
  #countHidden(room: number): Pick<Branch, 'counts' | 'commands'> {
    const lines = this.#lines.all;
    const of = `${this.#tree.shape} ${room}`;
    if (this.#hidden.of !== of || this.#hidden.lines !== lines) {
      this.#hidden = { of, lines, counts: countLines(this.#tree, lines.slice(room)) };
    }
    return this.#hidden.counts;
  }
}

/** Times are shown in seconds. */
const STEP_MS = 250;

type CachedRow = { readonly of: Task['of']; readonly row: string };

type RowStyle = { readonly width: number; readonly theme: Theme; readonly shape: number; readonly step: number };

/** Caches rows of the tree: unchanged ones whose times are hardly older. */
class RowCache {
  readonly #tree: TaskTree;
  #look: RowStyle | undefined;
  #rows = new Map<TreeLine, CachedRow>();

  constructor(tree: TaskTree) {
    this.#tree = tree;
  }

  /** The row of a line, rendered only if it may have changed. A row that includes those below it is always rendered. */
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

  /** Clears the cache when the appearance changes. */
  #same({ width, theme, shape, step }: RowStyle): RowStyle {
    const last = this.#look;
    const isSame = last?.width === width && last.theme === theme && last.shape === shape && last.step === step;
    if (isSame) return last;
    this.#rows = new Map();
    return { width, theme, shape, step };
  }
}

const WINDOW_MS = 60_000;

const SAMPLE_MS = 1_000;

type Sample = { readonly at: number; readonly cost: number };

/** The session's cost per minute, from its cost over the last minute. Pure: time is passed in. */
export class CostRate {
  /** Oldest first, at most one a second. */
  #samples: Sample[] = [];
  #last: Sample | undefined;

  take(now: number, cost: number): void {
    this.#last = { at: now, cost };
    const newest = this.#samples.at(-1);
    if (newest !== undefined && now - newest.at < SAMPLE_MS) return;
    this.#samples = this.#samples.filter(({ at }) => now - at <= WINDOW_MS);
    this.#samples.push(this.#last);
  }

  /** In dollars. Undefined until there is something to compare with. */
  get perMinute(): number | undefined {
    const [first] = this.#samples;
    if (first === undefined || this.#last === undefined || this.#last.at - first.at < SAMPLE_MS) return undefined;
    return (Math.max(0, this.#last.cost - first.cost) * 60_000) / (this.#last.at - first.at);
  }
}

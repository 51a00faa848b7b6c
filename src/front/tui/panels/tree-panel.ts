/** The tree of agents and background commands in the live area: what each does and costs, and the keys for them (TU-3 to TU-8). */

import type { ModelOverrides } from '../../../model/models.js';
import type { SessionView } from '../../view/session-view.js';
import { CostRate } from '../../view/tree/cost-rate.js';
import { countLines } from '../../view/tree/count-lines.js';
import type { TreeLine } from '../../view/tree/lay-tree.js';
import { NO_COUNTS } from '../../view/tree/task-state.js';
import { type Branch, TaskTree } from '../../view/tree/task-tree.js';
import type { KeyEvent } from '../input/key-event.js';
import { aliveOf, headRow, manyRow, restRow } from '../parts/tree-head.js';
import { treeRow } from '../parts/tree-row.js';
import { clip } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import { RowCache } from './row-cache.js';
import { type TreeAction, TreeKeys } from './tree-keys.js';
import { DEFAULT_KEYS, type KeyOfTree, keysRow } from './tree-keys-row.js';
import { TreeLines } from './tree-lines.js';

export type TreePanelOptions = {
  readonly models?: ModelOverrides;
  /** With more agents at work, a line says what they cost and how to stop them. */
  readonly warnAt?: number;
  /** The keys that stop all, as they are bound. */
  readonly stopKeys?: () => string;
  /** The keys of the tree, as they are bound. */
  readonly keyOf?: KeyOfTree;
  /** Parents are open by themselves. */
  readonly opensAll?: boolean;
};

export type PanelSize = { readonly width: number; readonly maxRows: number };

const NO_LINES: readonly TreeLine[] = [];
const WARN_AT = 50;
const STOP_KEYS = () => 'ctrl+x ctrl+k twice';

/** How many rows the tree takes at most in a window of so many rows (TU-6). */
export function treeRows(rows: number): number {
  return Math.min(8, Math.floor(rows / 3));
}

export class TreePanel {
  readonly #options: TreePanelOptions;
  readonly #tree: TaskTree;
  readonly #lines: TreeLines;
  readonly #keys: TreeKeys;
  readonly #kept: RowCache;
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
    this.#kept = new RowCache(this.#tree);
  }

  get hasFocus(): boolean {
    return this.#hasFocus;
  }

  /** Whether keys are text: of a filter. */
  get isTyping(): boolean {
    return this.#keys.filter !== undefined;
  }

  /** Whether there is nothing to show. */
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
    this.#rate.take(now, whole.sums.cost);
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

  /** Nothing is at work, and nothing waits for the person: the head is enough. */
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

  /** With the focus there is room for what is chosen and what is marked. */
  #row(line: TreeLine, index: number, width: number, theme: Theme): string {
    const now = this.#now;
    if (!this.#hasFocus) {
      return this.#kept.take(line, { width, theme, now }, () => treeRow(this.#tree, line, { width, now, theme }));
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

  /** Counts change with the shape of the tree only. */
  #countHidden(room: number): Pick<Branch, 'counts' | 'commands'> {
    const lines = this.#lines.all;
    const of = `${this.#tree.shape} ${room}`;
    if (this.#hidden.of !== of || this.#hidden.lines !== lines) {
      this.#hidden = { of, lines, counts: countLines(this.#tree, lines.slice(room)) };
    }
    return this.#hidden.counts;
  }
}

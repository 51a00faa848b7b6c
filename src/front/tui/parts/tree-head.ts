/** The rows around the tree: the head with totals, the rest as counts, the line about very many agents (TU-6). */

import { money, percent } from '../../../protocol/format-numbers.js';
import { countTexts } from '../../view/tree/count-lines.js';
import { isAlive, NO_COUNTS, type StateCounts, TASK_STATES, type TaskState } from '../../view/tree/task-state.js';
import type { Branch } from '../../view/tree/task-tree.js';
import { cacheShare } from '../../view/tree/usage-totals.js';
import type { Theme } from '../theme/theme.js';
import { type Cell, cellRow } from './cells.js';
import { commandText, costText, savedText } from './tree-row.js';

/** Dropped first in a narrow head. */
const GOES = {
  saved: 1,
  cache: 2,
  cost: 3,
  hint: 4,
  stopped: 5,
  done: 6,
  interrupted: 7,
  queued: 8,
  commands: 9,
} as const;
const WIDE = 100;

export type HeadOptions = { readonly width: number; readonly theme: Theme; readonly hint?: string };

/** `agents 12 · 3 asking · 6 running · 1 queued · 2 done · $0.61 · cache 98%`. */
export function headRow({ counts, commands, totals }: Branch, { width, theme, hint = '' }: HeadOptions): string {
  const agents = total(counts);
  const share = cacheShare(totals);
  const cells: Cell[] = [
    { text: agents === 0 ? `commands ${commands}` : `agents ${agents}`, style: theme.bold },
    ...stateCells(counts, theme),
    { text: agents === 0 || commands === 0 ? '' : commandText(commands), goes: GOES.commands },
    { text: costText(totals), goes: GOES.cost },
    { text: share === undefined ? '' : `cache ${percent(share)}`, goes: GOES.cache },
    { text: width < WIDE ? '' : savedText(totals), joint: ' ', goes: GOES.saved },
    { text: hint, style: theme.dim, goes: GOES.hint },
  ];
  return cellRow(cells, width, theme.dim);
}

/** `  … 4 running · 1 queued · 2 done · ↓ opens`. */
export function restRow({ counts, commands }: Pick<Branch, 'counts' | 'commands'>, options: HeadOptions): string {
  const { width, theme, hint = '' } = options;
  const words = [...countTexts(counts), ...(commands === 0 ? [] : [commandText(commands)])];
  const counted = (words.length === 0 ? ['more'] : words).map((text): Cell => ({ text, style: theme.dim }));
  const cells = [...counted, { text: hint, style: theme.dim, goes: GOES.hint }];
  return width < 5 ? '' : `  ${theme.dim('…')} ${cellRow(cells, width - 4, theme.dim)}`;
}

export type ManyOptions = HeadOptions & {
  /** The number of agents that needs a warning. */
  readonly warnAt: number;
  readonly perMinute: number | undefined;
  /** The keys that stop them all. */
  readonly stopKeys: string;
};

/** Undefined while fewer are running. */
export function manyRow(
  { counts }: Branch,
  { width, theme, warnAt, perMinute, stopKeys }: ManyOptions,
): string | undefined {
  const alive = aliveOf(counts);
  if (alive <= warnAt) return undefined;
  const cells: Cell[] = [
    { text: `! ${alive} agents running` },
    { text: perMinute === undefined ? '' : `${money(perMinute)}/min` },
    { text: `${stopKeys} to stop all` },
  ];
  return cellRow(
    cells.map((cell) => ({ ...cell, style: theme.warn })),
    width,
    theme.warn,
  );
}

export function aliveOf(counts: StateCounts): number {
  return TASK_STATES.reduce((sum, state) => sum + (isAlive(state) ? counts[state] : 0), 0);
}

function total(counts: StateCounts): number {
  return TASK_STATES.reduce((sum, state) => sum + counts[state], 0);
}

function stateCells(counts: StateCounts, theme: Theme): readonly Cell[] {
  return TASK_STATES.map((state) => ({
    text: countTexts({ ...NO_COUNTS, [state]: counts[state] }).join(''),
    style: STYLES[state] === undefined ? undefined : theme[STYLES[state]],
    goes: Object.hasOwn(GOES, state) ? GOES[state as keyof typeof GOES] : undefined,
  }));
}

const STYLES: Partial<Record<TaskState, 'warn' | 'bad'>> = { asking: 'warn', failed: 'bad' };

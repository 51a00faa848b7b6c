/** The status line: model, mode, context, cost, branch, agents, questions, keys (TU-28). */

import { money, percent, plural } from '../../../protocol/format-numbers.js';
import { oneLine } from '../../view/tree/agent-label.js';
import { clip } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import { type Cell, cellRow } from './cells.js';

export type StatusFacts = {
  readonly model: string;
  readonly mode: string;
  /** Of the model's window; undefined: not known yet. */
  readonly contextShare: number | undefined;
  /** In dollars, of all agents. */
  readonly cost: number | undefined;
  /** With a mark for what is not committed: `main*`. */
  readonly branch: string | undefined;
  /** Running or queued, without the main agent. */
  readonly agents: number;
  readonly questions: number;
  /** The output of the user's command, made safe: it replaces our row (EX-22). */
  readonly own?: readonly string[];
  /** `? keys`, or a hint that fits the moment better. */
  readonly hints: string;
};

/** Dropped first in a narrow window. Open questions stay. */
const GOES = { hints: 1, branch: 2, context: 3, mode: 4, model: 5, cost: 6, agents: 7 } as const;

/** Above this the window is nearly full. */
const FULL = 0.8;

export function statusRows(facts: StatusFacts, width: number, theme: Theme): string[] {
  const { own = [] } = facts;
  if (own.length === 0)
    return [cellRow([...sessionCells(facts, theme), ...taskCells(facts, theme), hint(facts, theme)], width, theme.dim)];
  const tasks = cellRow(taskCells(facts, theme), width, theme.dim);
  return [...own.map((row) => clip(row, width)), ...(tasks === '' ? [] : [tasks])];
}

function sessionCells({ model, mode, contextShare, cost, branch }: StatusFacts, theme: Theme): readonly Cell[] {
  const isFull = contextShare !== undefined && contextShare >= FULL;
  return [
    { text: oneLine(model), style: theme.dim, goes: GOES.model },
    { text: oneLine(mode), style: mode === 'default' ? theme.dim : theme.accent, goes: GOES.mode },
    {
      text: contextShare === undefined ? '' : `ctx ${percent(contextShare)}`,
      style: isFull ? theme.warn : theme.dim,
      goes: GOES.context,
    },
    { text: cost === undefined ? '' : money(cost), style: theme.dim, goes: GOES.cost },
    { text: branch === undefined ? '' : oneLine(branch), style: theme.dim, goes: GOES.branch },
  ];
}

function taskCells({ agents, questions }: StatusFacts, theme: Theme): readonly Cell[] {
  return [
    { text: agents === 0 ? '' : plural(agents, 'agent'), goes: GOES.agents },
    { text: questions === 0 ? '' : plural(questions, 'question'), style: theme.warn },
  ];
}

function hint({ hints }: StatusFacts, theme: Theme): Cell {
  return { text: hints, style: theme.dim, goes: GOES.hints };
}

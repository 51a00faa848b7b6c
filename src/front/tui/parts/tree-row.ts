/** One row of the tree: an agent, a group of agents, or a background command (TU-3). */

import { escapeToLine } from '../../../protocol/escape-controls.js';
import { clockTime, money, percent, plural, shortCount } from '../../../protocol/format-numbers.js';
import type { AgentView } from '../../view/agent-view.js';
import type { ShellView } from '../../view/session-view.js';
import { agentLabel, oneLine } from '../../view/tree/agent-label.js';
import { branchOf, countTexts } from '../../view/tree/count-lines.js';
import { currentAction } from '../../view/tree/current-action.js';
import type { TreeLine } from '../../view/tree/lay-tree.js';
import { isTakenOver, NO_COUNTS, TASK_STATES, type TaskState } from '../../view/tree/task-state.js';
import type { Branch, Task, TaskTree } from '../../view/tree/task-tree.js';
import { cacheShare, type UsageTotals } from '../../view/tree/usage-totals.js';
import { clip } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import { type Cell, cellRow } from './cells.js';

export type TreeRowOptions = { readonly width: number; readonly now: number; readonly theme: Theme };

/** Dropped first in a narrow row. */
const GOES = { saved: 1, cache: 2, tokens: 3, task: 4, cost: 5, alike: 6, worktree: 7 } as const;

/** Rows of at least this width show the savings, too. */
const WIDE = 100;
/** Narrower rows count where others name. */
const NARROW = 60;
const INDENT = 2;
const MARK_WIDTH = 2;

export function treeRow(tree: TaskTree, line: TreeLine, options: TreeRowOptions): string {
  if (line.kind === 'group') return groupRow(tree, line, options);
  const task = tree.find(line.id);
  if (task === undefined) return '';
  return task.kind === 'shell' ? shellRow(task.of, line, options) : agentRow(tree, task, task.of, line, options);
}

/** A closed parent has the mark of the most urgent task below it, by rank. */
const URGENT: readonly TaskState[] = ['asking', 'failed', 'running', 'queued'];

type TaskLine = Extract<TreeLine, { readonly kind: 'task' }>;

function agentRow(tree: TaskTree, task: Task, agent: AgentView, line: TaskLine, options: TreeRowOptions): string {
  const { width, now, theme } = options;
  const below = line.isOpen === false ? tree.branches(tree.childrenOf(task.id)) : undefined;
  const totals = below === undefined ? tree.totalsOf(task) : tree.branches([task]).totals;
  const { text, time } = currentAction(agent, now);
  const cells: Cell[] = [
    { text: clip(agentLabel(agent), third(width)), style: theme.bold },
    { text: clip(oneLine(agent.description), quarter(width)), joint: ' ', goes: GOES.task },
    { text: isTakenOver(agent) ? 'taken over' : '', style: theme.accent },
    { text: doingText(text, time, third(width)), style: task.state === 'asking' ? theme.warn : undefined },
    ...(below === undefined ? [] : belowCells(below, width)),
    { text: agent.startedAt === undefined ? '' : clockTime((agent.endedAt ?? now) - agent.startedAt) },
    ...figureCells(totals, width),
    { text: agent.worktree === undefined ? '' : 'wt', goes: GOES.worktree },
    { text: alikeText(tree, line, width), joint: '   ', style: theme.dim, goes: GOES.alike },
  ];
  const urgent = below === undefined ? task.state : (URGENT[tree.rankOf(task)] ?? task.state);
  return assemble(agent.retry !== undefined && urgent === 'running' ? 'retrying' : urgent, line.depth, cells, options);
}

function shellRow(shell: ShellView, { depth }: TaskLine, options: TreeRowOptions): string {
  const { width, now } = options;
  const cells: Cell[] = [
    { text: clip(escapeToLine(shell.command), Math.max(12, Math.floor(width / 2))) },
    { text: shell.status === 'completed' ? 'done' : oneLine(shell.status) },
    { text: clockTime((shell.endedAt ?? now) - shell.startedAt) },
  ];
  return assemble('command', depth, cells, options);
}

/** `explore ×120 · 96 done`. */
function groupRow(tree: TaskTree, line: Extract<TreeLine, { kind: 'group' }>, options: TreeRowOptions): string {
  const { width, theme } = options;
  const closed = { ...line, isOpen: false };
  const { counts, totals } = branchOf(tree, closed);
  const { done, ...others } = counts;
  const cells: Cell[] = [
    { text: `${clip(oneLine(line.type), third(width))} ×${line.members.length}`, style: theme.bold },
    { text: done === 0 ? '' : `${done} done` },
    ...countTexts({ ...NO_COUNTS, ...others }).map((text) => ({ text })),
    ...figureCells(totals, width),
  ];
  return assemble(TASK_STATES.find((state) => counts[state] > 0) ?? 'done', line.depth, cells, options);
}

function assemble(mark: MarkKind, depth: number, cells: readonly Cell[], { width, theme }: TreeRowOptions): string {
  const indent = Math.min(INDENT * depth, Math.floor(width / 3));
  const room = width - indent - MARK_WIDTH;
  if (room < 1) return clip(' '.repeat(indent) + taskMark(mark, theme), Math.max(0, width));
  return `${' '.repeat(indent)}${taskMark(mark, theme)} ${cellRow(cells, room, theme.dim)}`;
}

/** The action is cut before its time. */
function doingText(words: string, time: string, room: number): string {
  const joint = time === '' || time.startsWith(',') || words === '' ? '' : ' ';
  return `${clip(words, room)}${joint}${time}`;
}

/** A closed parent shows counts of those below it. */
function belowCells({ counts, commands }: Branch, width: number): readonly Cell[] {
  const agents = TASK_STATES.reduce((sum, state) => sum + counts[state], 0);
  const urgent = countTexts({ ...NO_COUNTS, asking: counts.asking, failed: counts.failed, running: counts.running });
  const words = [...urgent, ...(commands === 0 ? [] : [commandText(commands)])].join(', ');
  const count = `+${agents + commands}`;
  return agents + commands === 0 ? [] : [{ text: words === '' || width < NARROW ? count : `${count} (${words})` }];
}

export function commandText(count: number): string {
  return plural(count, 'command');
}

function figureCells(totals: UsageTotals, width: number): readonly Cell[] {
  const tokens = totals.input + totals.output;
  const share = cacheShare(totals);
  return [
    { text: tokens === 0 ? '' : shortCount(tokens), goes: GOES.tokens },
    { text: share === undefined ? '' : percent(share), goes: GOES.cache },
    { text: width < WIDE ? '' : savedText(totals), joint: ' ', goes: GOES.saved },
    { text: costText(totals), goes: GOES.cost },
  ];
}

/** If a model has no price, the known part with a plus. */
export function costText({ cost, isPriced, input }: UsageTotals): string {
  if (isPriced) return input === 0 && cost === 0 ? '' : money(cost);
  return cost === 0 ? '' : `${money(cost)}+`;
}

/** Savings by the cache; less than a cent is omitted. */
export function savedText({ saved }: UsageTotals): string {
  return saved < 0.01 ? '' : `saved ${money(saved)}`;
}

function alikeText(tree: TaskTree, { alike }: TaskLine, width: number): string {
  if (alike.length === 0) return '';
  if (width < NARROW) return `(+${alike.length})`;
  const labels = alike.slice(0, 3).flatMap((id) => {
    const task = tree.find(id);
    return task?.kind === 'agent' ? [agentLabel(task.of)] : [];
  });
  return `(+ ${labels.join(', ')}${alike.length > labels.length ? ` and ${alike.length - labels.length} more` : ''})`;
}

function quarter(width: number): number {
  return Math.max(8, Math.floor(width / 4));
}

function third(width: number): number {
  return Math.max(8, Math.floor(width / 3));
}

const MARKS: Readonly<Record<TaskState, string>> = {
  asking: '?',
  failed: '!',
  running: '●',
  queued: '○',
  interrupted: '‖',
  done: '✓',
  stopped: '×',
};

type MarkKind = TaskState | 'retrying' | 'command';

/** The marks of tasks: they differ without colours (TU-3). */
function taskMark(kind: MarkKind, theme: Theme): string {
  switch (kind) {
    case 'asking':
      return theme.warn(MARKS[kind]);
    case 'failed':
      return theme.bad(MARKS[kind]);
    case 'retrying':
      return theme.warn('↻');
    case 'command':
      return theme.accent('$');
    case 'running':
      return theme.accent(MARKS[kind]);
    case 'done':
      return theme.good(MARKS[kind]);
    case 'queued':
    case 'interrupted':
    case 'stopped':
      return theme.dim(MARKS[kind]);
    default:
      return kind satisfies never;
  }
}

/** The todo list: the current item and n/m, or all items. */

import { stripToLine } from '../../../gate/permissions/strip-controls.js';
import { member } from '../../view/describe/describe-call.js';
import { clip } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import { expandTabs } from './spans.js';

export type TodoRowsOptions = { readonly width: number; readonly theme: Theme; readonly whole?: boolean };

export function todoRows(items: readonly unknown[], { width, theme, whole = false }: TodoRowsOptions): string[] {
  const todos = items.map(readTodo);
  if (todos.length === 0) return [clip(theme.dim('  todos: none'), width)];
  const done = todos.filter(({ status }) => status === 'completed').length;
  const current = todos.find(({ status }) => status === 'in_progress');
  const next = current ?? todos.find(({ status }) => status !== 'completed');
  const about = next === undefined ? 'all done' : current === undefined ? `next: ${next.text}` : next.text;
  const head = clip(`  ${theme.bold('todos')} ${done}/${todos.length}${theme.dim(' · ')}${about}`, width);
  if (!whole) return [head];
  return [
    head,
    ...todos.map(({ status, text }) => {
      const row = `    ${MARKS[status] ?? '[ ]'} ${text}`;
      return clip(status === 'completed' ? theme.dim(row) : status === 'in_progress' ? theme.bold(row) : row, width);
    }),
  ];
}

const MARKS: Readonly<Record<string, string>> = { pending: '[ ]', in_progress: '[>]', completed: '[x]' };

function readTodo(item: unknown): { readonly status: string; readonly text: string } {
  const status = String(member(item, 'status'));
  const active = member(item, 'activeForm');
  const text =
    status === 'in_progress' && typeof active === 'string' && active !== '' ? active : member(item, 'content');
  return { status, text: expandTabs(stripToLine(String(text))) };
}

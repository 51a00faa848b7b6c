/** The marks of tasks: they differ without colours (TU-3). */

import type { TaskState } from '../../view/tree/task-state.js';
import type { Theme } from '../theme/theme.js';

const MARKS: Readonly<Record<TaskState, string>> = {
  asks: '?',
  failed: '!',
  working: '●',
  queued: '○',
  interrupted: '‖',
  done: '✓',
  stopped: '×',
};

export type MarkKind = TaskState | 'retrying' | 'command';

export function taskMark(kind: MarkKind, theme: Theme): string {
  switch (kind) {
    case 'asks':
      return theme.warn(MARKS[kind]);
    case 'failed':
      return theme.bad(MARKS[kind]);
    case 'retrying':
      return theme.warn('↻');
    case 'command':
      return theme.accent('$');
    case 'working':
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

/** The states of a task in the tree, and their order (TU-5). */

import type { AgentView } from '../agent-view.js';
import type { ShellView } from '../session-view.js';

/** Most urgent first. */
export const TASK_STATES = ['asking', 'failed', 'running', 'queued', 'interrupted', 'done', 'stopped'] as const;

export type TaskState = (typeof TASK_STATES)[number];

export type StateCounts = Readonly<Record<TaskState, number>>;

export const NO_COUNTS: StateCounts = {
  asking: 0,
  failed: 0,
  running: 0,
  queued: 0,
  interrupted: 0,
  done: 0,
  stopped: 0,
};

export function stateOfAgent({ status, questions }: AgentView): TaskState {
  switch (status) {
    case 'running':
    case 'waiting':
      return questions.length > 0 ? 'asking' : 'running';
    case 'queued':
    case 'failed':
    case 'interrupted':
    case 'stopped':
      return status;
    case 'completed':
      return 'done';
    default:
      return status satisfies never;
  }
}

/** Its notice has its own word for the status. */
export function stateOfShell({ status }: ShellView): TaskState {
  switch (status) {
    case 'running':
      return 'running';
    case 'failed':
      return 'failed';
    case 'stopped':
    case 'killed':
      return 'stopped';
    default:
      return 'done';
  }
}

const LAST = 4;

/** Asking, failed and unseen, running, queued; then what has ended. Interrupted ones come first, since they can resume. */
export function rankOf(state: TaskState, isSeen: boolean): number {
  switch (state) {
    case 'asking':
      return 0;
    case 'failed':
      return isSeen ? LAST + 1 : 1;
    case 'running':
      return 2;
    case 'queued':
      return 3;
    case 'interrupted':
      return LAST;
    case 'done':
    case 'stopped':
      return LAST + 1;
    default:
      return state satisfies never;
  }
}

/** True if it costs something, or will. */
export function isAlive(state: TaskState): boolean {
  return state === 'asking' || state === 'running' || state === 'queued';
}

/** The user answers in place of its model (TU-11). */
export function isTakenOver(agent: AgentView & { readonly takenOver?: boolean }): boolean {
  return agent.takenOver === true;
}

/** The states of a task as the tree shows them, and their order (TU-5). */

import type { AgentView } from '../agent-view.js';
import type { ShellView } from '../session-view.js';

/** Most urgent first. */
export const TASK_STATES = ['asks', 'failed', 'working', 'queued', 'interrupted', 'done', 'stopped'] as const;

export type TaskState = (typeof TASK_STATES)[number];

export type StateCounts = Readonly<Record<TaskState, number>>;

export const NO_COUNTS: StateCounts = {
  asks: 0,
  failed: 0,
  working: 0,
  queued: 0,
  interrupted: 0,
  done: 0,
  stopped: 0,
};

export function stateOfAgent({ status, questions }: AgentView): TaskState {
  switch (status) {
    case 'running':
    case 'waiting':
      return questions.length > 0 ? 'asks' : 'working';
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

/** Its notice has the status as a word of its own. */
export function stateOfShell({ status }: ShellView): TaskState {
  switch (status) {
    case 'running':
      return 'working';
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

/** Asks, failed and unseen, working, queued; then what has ended. Interrupted ones can go on: they come before the rest. */
export function rankOf(state: TaskState, isSeen: boolean): number {
  switch (state) {
    case 'asks':
      return 0;
    case 'failed':
      return isSeen ? LAST + 1 : 1;
    case 'working':
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

/** Whether it costs something, or will. */
export function isAlive(state: TaskState): boolean {
  return state === 'asks' || state === 'working' || state === 'queued';
}

/** The person answers in the place of its model (TU-11). */
export function isTakenOver(agent: AgentView & { readonly takenOver?: boolean }): boolean {
  return agent.takenOver === true;
}

/** TodoWrite, as every surface knows it. */

import type { FactsAbout } from './tool-facts.js';

export const todoWriteFacts: FactsAbout<'TodoWrite', TodoWriteInput, TodoWriteResponse> = {
  name: 'TodoWrite',
  kind: 'think',
  effect: 'notes',
  main: [],
  result: 'none',
  hasOwnItem: true,
};

export type TodoItem = {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly activeForm: string;
  readonly id?: string;
};

export type TodoWriteInput = {
  readonly todos: readonly (Pick<TodoItem, 'content' | 'status'> & {
    readonly activeForm?: string | undefined;
    readonly id?: string | undefined;
  })[];
};

export type TodoWriteResponse = { readonly oldTodos: readonly TodoItem[]; readonly newTodos: readonly TodoItem[] };

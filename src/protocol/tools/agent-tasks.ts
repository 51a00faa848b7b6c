/** SendMessage, TaskOutput, TaskStop and ListAgents, as every surface knows them. */

import type { FactsAbout } from './tool-facts.js';

export const sendMessageFacts: FactsAbout<'SendMessage', SendMessageInput> = {
  name: 'SendMessage',
  kind: 'other',
  effect: 'anything',
  coordinates: true,
  waitsFor: 'other',
  summary: ({ text, firstLine }) => `to ${text('to')}: ${firstLine('message')}`,
  result: 'none',
};

export const taskOutputFacts: FactsAbout<'TaskOutput', TaskOutputInput> = {
  name: 'TaskOutput',
  aliases: ['AgentOutput', 'BashOutput'],
  kind: 'read',
  effect: 'none',
  coordinates: true,
  waitsFor: 'task',
  summary: ({ text }) => text('task_id'),
};

export const taskStopFacts: FactsAbout<'TaskStop', TaskStopInput> = {
  name: 'TaskStop',
  aliases: ['KillShell', 'KillBash'],
  kind: 'other',
  effect: 'changes',
  coordinates: true,
  waitsFor: 'other',
  summary: ({ text }) => text('task_id'),
};

export const listAgentsFacts: FactsAbout<'ListAgents', Readonly<Record<string, never>>> = {
  name: 'ListAgents',
  kind: 'other',
  effect: 'none',
  coordinates: true,
  summary: () => '',
  result: 'lines',
};

export type SendMessageInput = { readonly to: string; readonly message: string };

export type TaskOutputInput = {
  readonly task_id: string;
  readonly block?: boolean | undefined;
  readonly timeout?: number | undefined;
};

export type TaskStopInput = { readonly task_id: string };

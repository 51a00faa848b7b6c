/** Tasks by id or name: agents that run, agents that rest, and shell commands. */

import { neutralizeTags } from '../../protocol/tags.js';
import type { EndedAgent } from '../ended-agent.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import type { ShellTask } from '../shells/kept-shell.js';

export type Found =
  | { readonly kind: 'live'; readonly agent: LiveAgent }
  | { readonly kind: 'ended'; readonly ended: EndedAgent }
  | { readonly kind: 'shell'; readonly task: ShellTask };

export type FoundAgent = Exclude<Found, { kind: 'shell' }>;

export function findTask(runtime: Runtime, asked: string): Found | undefined {
  const task = runtime.shellTasks.get(asked);
  if (task) return { kind: 'shell', task };
  const found = findAgent(runtime, asked);
  return found?.kind === 'live' && found.agent.isMain ? undefined : found;
}

/** An id always means one agent; a name the newest that has it, one at work before one that has ended. */
export function findAgent(runtime: Runtime, asked: string): FoundAgent | undefined {
  const agent =
    runtime.agents.get(asked) ?? [...runtime.agents.values()].findLast(({ record }) => record.name === asked);
  if (agent) return { kind: 'live', agent };
  const ended = runtime.ended.get(asked) ?? [...runtime.ended.values()].findLast((one) => one.spawned.name === asked);
  return ended && { kind: 'ended', ended };
}

/** Everybody who can be named, for errors that help. */
export function describeTasks(runtime: Runtime): string {
  const named = (name: string | undefined) => (name === undefined ? '' : ` (${name})`);
  const lines = [
    ...[...runtime.agents.values()]
      .filter((agent) => !agent.isMain)
      .map(({ id, type, status, record }) => `${id}${named(record.name)}: ${type}, ${status}`),
    ...[...runtime.ended.values()].map(
      ({ agent, spawned, status }) => `${agent}${named(spawned.name)}: ${spawned.type}, ${status}`,
    ),
    ...[...runtime.shellTasks.values()].map((task) => `${task.id}: shell command, ${task.status}`),
  ];
  return lines.length === 0 ? 'There are no tasks.' : `There are:\n${lines.map(inertLine).join('\n')}`;
}

/** Names and descriptions are what some agent made up: in a list each stays in its line and is no markup of ours. */
export function inertLine(line: string): string {
  return neutralizeTags(line.replace(/\s+/g, ' '));
}

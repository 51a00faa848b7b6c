/** Tasks by id or name: agents that run, agents that rest, and shell commands. */

import { neutralizeTags } from '../../protocol/tags.js';
import type { AgentLog } from '../../session/state/agent-log.js';
import type { Member } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import type { ShellTask } from '../shells/kept-shell.js';

export type Found =
  | { readonly kind: 'agent'; readonly member: Member }
  | { readonly kind: 'resting'; readonly log: AgentLog }
  | { readonly kind: 'shell'; readonly task: ShellTask };

export function findTask(runtime: Runtime, asked: string): Found | undefined {
  const task = runtime.shellTasks.get(asked);
  if (task) return { kind: 'shell', task };
  const found = findAgent(runtime, asked);
  return found?.kind === 'agent' && found.member.parent === undefined ? undefined : found;
}

/** An id always means one agent; a name the newest that has it, one at work before one that rests. */
export function findAgent(runtime: Runtime, asked: string): Exclude<Found, { kind: 'shell' }> | undefined {
  const member =
    runtime.members.get(asked) ??
    [...runtime.members.values()].findLast((one) => one.name !== undefined && one.name === asked);
  if (member) return { kind: 'agent', member };
  const log = runtime.ended.get(asked) ?? [...runtime.ended.values()].findLast((one) => one.spawned.name === asked);
  return log && { kind: 'resting', log };
}

/** Everybody who can be named, for errors that help. */
export function describeTasks(runtime: Runtime): string {
  const lines = [
    ...[...runtime.members.values()]
      .filter((member) => member.parent !== undefined)
      .map(({ agent, name, state }) => `${agent.id}${name ? ` (${name})` : ''}: ${agent.type}, ${state}`),
    ...[...runtime.ended.values()].map(
      ({ agent, spawned, state }) => `${agent}${spawned.name ? ` (${spawned.name})` : ''}: ${spawned.type}, ${state}`,
    ),
    ...[...runtime.shellTasks.values()].map((task) => `${task.id}: shell command, ${task.status}`),
  ];
  return lines.length === 0 ? 'There are no tasks.' : `There are:\n${lines.map(inertLine).join('\n')}`;
}

/** Names and descriptions are what some agent made up: in a list each stays in its line and is no markup of ours. */
export function inertLine(line: string): string {
  return neutralizeTags(line.replace(/\s+/g, ' '));
}

/** Tasks by id or name: agents that run or have run, and shell commands. */

import type { Crew } from '../crew.js';
import type { Member } from '../member.js';
import type { ShellTask } from './kept-shell.js';

export type Found =
  | { readonly kind: 'agent'; readonly member: Member }
  | { readonly kind: 'shell'; readonly task: ShellTask };

export function findTask(crew: Crew, asked: string): Found | undefined {
  const task = crew.shellTasks.get(asked);
  if (task) return { kind: 'shell', task };
  const member = findAgent(crew, asked);
  return member?.parent === undefined ? undefined : { kind: 'agent', member };
}

/** The newest agent of a name; an id always means one. */
export function findAgent(crew: Crew, asked: string): Member | undefined {
  const byId = crew.members.get(asked);
  if (byId) return byId;
  return [...crew.members.values()].findLast((member) => member.name === asked);
}

/** Everybody who can be named, for errors that help. */
export function describeTasks(crew: Crew): string {
  const agents = [...crew.members.values()].filter((member) => member.parent !== undefined);
  const lines = [
    ...agents.map(
      (member) => `${member.agent.id}${member.name ? ` (${member.name})` : ''}: ${member.agent.type}, ${member.state}`,
    ),
    ...[...crew.shellTasks.values()].map((task) => `${task.id}: shell command, ${task.status}`),
  ];
  return lines.length === 0 ? 'There are no tasks.' : `There are:\n${lines.join('\n')}`;
}

/** Finds tasks by id or name: live agents, ended agents and shell commands. */

import type { EndedAgent } from '../ended-agent.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import type { ShellTask } from '../shells/background-shell.js';
import { holderOf } from '../start/claim-name.js';

export type Found =
  | { readonly kind: 'live'; readonly agent: LiveAgent }
  | { readonly kind: 'ended'; readonly ended: EndedAgent }
  | { readonly kind: 'shell'; readonly task: ShellTask };

export type FoundAgent = Exclude<Found, { kind: 'shell' }>;

export function findTask(runtime: Runtime, requested: string): Found | undefined {
  const task = runtime.shellTasks.get(requested);
  if (task) return { kind: 'shell', task };
  const found = findAgent(runtime, requested);
  return found?.kind === 'live' && found.agent.isMain ? undefined : found;
}

/** An id means one agent. A name means the newest agent that has it, running ones first. */
export function findAgent(runtime: Runtime, requested: string): FoundAgent | undefined {
  const { agents, ended } = runtime;
  const id = agents.has(requested) || ended.has(requested) ? requested : holderOf(runtime, requested);
  const agent = id === undefined ? undefined : agents.get(id);
  if (agent !== undefined) return agent.record.aside ? undefined : { kind: 'live', agent };
  const over = id === undefined ? undefined : ended.get(id);
  return over === undefined || over.spawned.aside ? undefined : { kind: 'ended', ended: over };
}

/** The agents that models know of, without those that answer the user outside the conversation. */
export function knownAgents({ agents, ended }: Runtime): { live: LiveAgent[]; ended: EndedAgent[] } {
  return {
    live: [...agents.values()].filter(({ record }) => !record.aside),
    ended: [...ended.values()].filter(({ spawned }) => !spawned.aside),
  };
}

/** Lists all tasks, for error messages. */
export function describeTasks(runtime: Runtime): string {
  const named = (name: string | undefined) => (name === undefined ? '' : ` (${name})`);
  const { live, ended } = knownAgents(runtime);
  const lines = [
    ...live
      .filter((agent) => !agent.isMain)
      .map(({ id, type, status, record }) => `${id}${named(record.name)}: ${type}, ${status}`),
    ...ended.map(({ agent, spawned, status }) => `${agent}${named(spawned.name)}: ${spawned.type}, ${status}`),
    ...[...runtime.shellTasks.values()].map((task) => `${task.id}: shell command, ${task.status}`),
  ];
  return lines.length === 0 ? 'There are no tasks.' : `There are:\n${lines.map(inertLine).join('\n')}`;
}

/** Keeps names and descriptions, which agents choose, on one line. */
export function inertLine(line: string): string {
  return line.replace(/\s+/g, ' ');
}

/** Background work as the person and the library see it. */

import type { StoppedBy } from '../../protocol/events.js';
import { isAtWork, stop } from '../live-agent.js';
import { resultOf } from '../resume/ended-agents.js';
import type { AgentResult } from '../run/result.js';
import type { Runtime } from '../runtime.js';

export type Task = {
  readonly id: string;
  readonly kind: 'agent' | 'shell';
  readonly title: string;
  readonly status: string;
  readonly outputFile: string;
  /** What it is doing now, in a line. */
  readonly progress: string;
  /** Resolves when it has ended; an agent's with its result. */
  readonly done: Promise<AgentResult | undefined>;
  stop(by?: StoppedBy): Promise<void>;
};

export function listTasks(runtime: Runtime): readonly Task[] {
  const agents = [...runtime.members.values()]
    .filter((member) => member.parent !== undefined && (member.background || isAtWork(member)))
    .map(
      (member): Task => ({
        id: member.agent.id,
        kind: 'agent',
        title: `${member.name ?? member.agent.type}: ${member.description}`,
        status: member.state,
        outputFile: member.output.path,
        progress: member.output.last,
        done: member.done ?? Promise.resolve(undefined),
        stop: async (by = 'person') => {
          if (!isAtWork(member)) return;
          stop(member, by);
          await member.done;
        },
      }),
    );
  const shells = [...runtime.shellTasks.values()].map(
    (task): Task => ({
      id: task.id,
      kind: 'shell',
      title: task.command,
      status: task.status,
      outputFile: task.outputFile,
      progress: task.ending ?? 'running',
      done: task.done.then(() => undefined),
      stop: (by = 'person') => task.stop(by),
    }),
  );
  const ended = [...runtime.ended.values()]
    .filter((log) => log.spawned.background || log.unfinished)
    .map(
      (log): Task => ({
        id: log.agent,
        kind: 'agent',
        title: `${log.spawned.name ?? log.spawned.type}: ${log.spawned.description}`,
        status: log.state,
        outputFile: runtime.layout.taskOutput(log.agent),
        progress: log.state,
        done: Promise.resolve(resultOf(log)),
        stop: async () => {},
      }),
    );
  return [...agents, ...ended, ...shells];
}

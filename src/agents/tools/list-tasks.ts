/** Background tasks as the user and the library see them. */

import type { StoppedBy } from '../../protocol/events.js';
import type { EndedResult, WorktreeFacts } from '../run/result.js';
import type { Runtime } from '../runtime.js';
import { parentRecord, worktreeFacts } from '../worktrees/settle-worktree.js';

export type Task = {
  readonly id: string;
  readonly kind: 'agent' | 'shell';
  readonly title: string;
  readonly status: string;
  readonly outputFile: string;
  /** Its current action, in one line. */
  readonly progress: string;
  /** Its own worktree, if any; for an agent that has ended, the one with its work. */
  readonly worktree?: WorktreeFacts | undefined;
  /** Resolves when it has ended; for an agent with its result. */
  readonly done: Promise<EndedResult | undefined>;
  stop(by?: StoppedBy): Promise<void>;
};

export function listTasks(runtime: Runtime): readonly Task[] {
  return [...liveTasks(runtime), ...endedTasks(runtime), ...shellTasks(runtime)];
}

function liveTasks({ agents }: Runtime): Task[] {
  return [...agents.values()]
    .filter((agent) => !agent.isMain && (agent.background || agent.isActive))
    .map((agent) => ({
      id: agent.id,
      kind: 'agent',
      title: `${agent.record.name ?? agent.type}: ${agent.record.description}`,
      status: agent.status,
      outputFile: agent.output.path,
      progress: agent.output.last,
      worktree: agent.result?.worktree ?? worktreeFacts(agent.record, agent.parent?.record),
      done: agent.done ?? Promise.resolve(undefined),
      stop: async (by = 'person') => {
        if (!agent.isActive) return;
        agent.stop(by);
        await agent.done;
      },
    }));
}

function endedTasks(runtime: Runtime): Task[] {
  const { ended, layout } = runtime;
  return [...ended.values()]
    .filter((one) => one.background || one.unfinished)
    .map((one) => ({
      id: one.agent,
      kind: 'agent',
      title: `${one.spawned.name ?? one.spawned.type}: ${one.spawned.description}`,
      status: one.status,
      outputFile: layout.taskOutput(one.agent),
      progress: one.status,
      worktree: worktreeFacts(one.spawned, parentRecord(runtime, one.spawned), one.runs.at(-1)?.worktree),
      done: Promise.resolve(one.outcome),
      stop: async () => {},
    }));
}

function shellTasks(runtime: Runtime): Task[] {
  return [...runtime.shellTasks.values()].map((task) => ({
    id: task.id,
    kind: 'shell',
    title: task.command,
    status: task.status,
    outputFile: task.outputFile,
    progress: task.ending ?? 'running',
    done: task.done.then(() => undefined),
    stop: (by = 'person') => task.stop(by),
  }));
}

/** A background task that is not an agent: listed, recorded, and stopped by the user or by the end of its agent. */

import { reasonOf } from '../../protocol/reason-of.js';
import type { Runtime } from '../runtime.js';
import type { ShellTask } from './background-shell.js';

export type StartedTask = {
  readonly agentId: string;
  readonly callId: string;
  /** A description for the user: a command, or the name of a tool. */
  readonly command: string;
  /** The prefix of its id. */
  readonly prefix: string;
  end(): Promise<void>;
  /** Resolves when it has ended and its notice is in transit. */
  follow(task: ShellTask): Promise<void>;
};

/**
 * Resolves once its start is recorded, so that a resumed session can report it. A task that can't be recorded is
 * stopped.
 */
export async function adoptTask(runtime: Runtime, started: StartedTask): Promise<ShellTask> {
  const owner = runtime.agents.get(started.agentId);
  if (owner === undefined) throw new Error('a task of an agent that is not there');
  const id = `${started.prefix}-${runtime.host.newId().slice(-8)}`;
  const task: ShellTask = {
    id,
    command: started.command,
    owner,
    call: started.callId,
    outputFile: runtime.layout.taskOutput(id),
    endsWithAgent: !owner.isMain,
    startedAt: runtime.host.clock.elapsed(),
    isOpen: true,
    status: 'running',
    stoppedBy: undefined,
    ending: undefined,
    done: Promise.resolve(),
    stop: async (by) => {
      if (task.status !== 'running') return;
      task.stoppedBy ??= by;
      await started.end();
      await task.done;
    },
  };
  runtime.shellTasks.set(id, task);
  const { call, command, outputFile: output } = task;
  const recorded = owner.emit({ kind: 'task-started', task: id, call, command, output });
  const done = started.follow(task).finally(() => {
    task.isOpen = false;
  });
  Object.assign(task, { done });
  try {
    await recorded;
  } catch (error) {
    await task.stop('agent-end');
    throw new Error(`it was started and ended again, because its start could not be saved: ${reasonOf(error)}`);
  }
  return task;
}
